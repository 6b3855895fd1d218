/* getopt as POSIX has it: options end at the first argument that is none. glibc's reordering of the arguments is not done. */
#include "sleave_runtime.h"

char *optarg;
int optind = 1, opterr = 1, optopt;

/* The specification of an option letter in `options`, or NULL. */
static const char *find_option(const char *options, char letter)
{
    if (letter == ':')
        return NULL;
    for (; *options != 0; options++)
        if (*options == letter)
            return options;
    return NULL;
}

/* An error is `?`, unless the options ask by a leading colon to tell a missing argument apart and to be silent. */
static int fail(const char *program, const char *message, int letter, int silent, int result)
{
    optopt = letter;
    if (opterr != 0 && !silent)
        printf("%s: %s -- '%c'\n", program, message, letter);
    return result;
}

int getopt(int count, char *const arguments[], const char *options)
{
    /* What is left of a group of letters such as -abc. */
    static const char *group;

    if (*options == '+')
        options++;
    int silent = *options == ':';
    optarg = NULL;
    if (optind == 0) { /* glibc's way to start again */
        optind = 1;
        group = NULL;
    }
    if (group == NULL || *group == 0) {
        if (optind >= count || arguments[optind] == NULL || arguments[optind][0] != '-' || arguments[optind][1] == 0)
            return -1;
        if (arguments[optind][1] == '-' && arguments[optind][2] == 0) {
            optind++;
            return -1;
        }
        group = arguments[optind] + 1;
    }

    int letter = *group++;
    const char *option = find_option(options, (char)letter);
    int takes_argument = option != NULL && option[1] == ':';
    int is_optional = takes_argument && option[2] == ':';
    if (*group == 0 || takes_argument)
        optind++;
    if (option == NULL)
        return fail(arguments[0], "invalid option", letter, silent, '?');
    if (!takes_argument)
        return letter;

    if (*group != 0) {
        optarg = (char *)group;
    } else if (!is_optional) {
        if (optind >= count) {
            group = NULL;
            return fail(arguments[0], "option requires an argument", letter, silent, silent ? ':' : '?');
        }
        optarg = arguments[optind++];
    }
    group = NULL;
    return letter;
}
