// strtol, atoi, abs: bases, end pointers, overflow.
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int main(void)
{
    char *end;
    assert(strtol("  -42xyz", &end, 10) == -42 && *end == 'x');
    assert(strtol("0x1f", NULL, 0) == 31 && strtol("077", NULL, 0) == 63);
    assert(strtoul("zz", NULL, 36) == 35 * 36 + 35);
    errno = 0;
    assert(strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE);
    assert(atoi("123abc") == 123 && atoi("junk") == 0 && atol("-5") == -5);
    assert(abs(-3) == 3 && labs(-4L) == 4);
    return 0;
}
