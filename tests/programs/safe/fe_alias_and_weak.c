// Aliases, weak definitions and an undefined weak function that is tested before use.
#include <assert.h>

int original(int x) { return x + 1; }
int other_name(int x) __attribute__((alias("original")));
__attribute__((weak)) int replaceable(void) { return 3; }
extern int missing(void) __attribute__((weak));

int main(void)
{
    assert(other_name(1) == 2);
    assert(replaceable() == 3);
    if (missing)
        return missing();
    return 0;
}
