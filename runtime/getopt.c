/*
 * getopt as glibc has it: arguments that are no options are moved behind those that are, unless the options begin with a plus or
 * POSIXLY_CORRECT is set (the first one ends the options) or with a minus (each is one whose letter is 1).
 */
#include "sleave_runtime.h"

char *optarg;
int optind = 1, opterr = 1, optopt;

/* The specification of an option letter in `options`, or NULL. */
static const char *find_option(const char *options, char letter)
{
    if (letter == ':' || letter == ';')
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

/* What is left of a group of letters such as -abc. */
static const char *group;
/* Arguments from `skipped` to before `skipped_end` are no options and were passed over. */
static int skipped, skipped_end;
static int order;
enum { PERMUTE, STOP, RETURN };

static int is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != 0;
}

/* Moves what was passed over behind the options that came since. */
static void move_skipped(char **arguments)
{
    for (; skipped_end < optind; skipped++, skipped_end++) {
        char *option = arguments[skipped_end];
        for (int i = skipped_end; i > skipped; i--)
            arguments[i] = arguments[i - 1];
        arguments[skipped] = option;
    }
}

/* Comes to the next group of letters: 0. Otherwise what getopt returns: no option is left, or an argument that is none is one. */
static int next_group(int count, char **arguments)
{
    if (skipped_end > optind)
        skipped_end = optind;
    if (skipped > optind)
        skipped = optind;
    if (order == PERMUTE) {
        if (skipped == skipped_end)
            skipped = skipped_end = optind;
        move_skipped(arguments);
        while (optind < count && !is_option(arguments[optind]))
            optind++;
        skipped_end = optind;
    }
    if (optind < count && arguments[optind][0] == '-' && arguments[optind][1] == '-' && arguments[optind][2] == 0) {
        optind++;
        if (skipped == skipped_end)
            skipped = skipped_end = optind;
        move_skipped(arguments);
        skipped_end = optind = count;
    }
    if (optind >= count) {
        if (skipped != skipped_end)
            optind = skipped;
        return -1;
    }
    if (is_option(arguments[optind])) {
        group = arguments[optind] + 1;
        return 0;
    }
    if (order == STOP)
        return -1;
    optarg = arguments[optind++];
    return 1;
}

int getopt(int count, char *const arguments[], const char *options)
{
    static int begun;

    optarg = NULL;
    if (count < 1)
        return -1;
    if (optind == 0 || !begun) { /* 0 is glibc's way to start again */
        if (optind == 0)
            optind = 1;
        skipped = skipped_end = optind;
        group = NULL;
        order = *options == '-' ? RETURN : *options == '+' || getenv("POSIXLY_CORRECT") != NULL ? STOP : PERMUTE;
        begun = 1;
    }
    if (*options == '+' || *options == '-')
        options++;
    int silent = *options == ':';
    if (group == NULL || *group == 0) {
        int result = next_group(count, (char **)arguments);
        if (result != 0)
            return result;
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
