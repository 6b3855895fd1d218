// sleave: --only-env
// As in glibc, arguments that are no options are moved behind those that are.
#include <assert.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *arguments[] = {"program", "file", "-a", "other", "-b", "value", 0};
    assert(getopt(6, arguments, "ab:") == 'a');
    assert(getopt(6, arguments, "ab:") == 'b');
    assert(strcmp(optarg, "value") == 0);
    assert(getopt(6, arguments, "ab:") == -1);
    assert(optind == 4);
    assert(strcmp(arguments[4], "file") == 0 && strcmp(arguments[5], "other") == 0);
    optind = 0;
    char *again[] = {"program", "file", "-a", 0};
    assert(getopt(3, again, "-a") == 1 && strcmp(optarg, "file") == 0);
    optind = 0;
    assert(getopt(3, again, "+a") == -1 && optind == 1);
}
