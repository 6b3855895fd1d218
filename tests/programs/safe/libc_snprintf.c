// snprintf formats for real: widths, flags, bases, strings, floats, truncation.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char b[64];
    assert(snprintf(b, sizeof b, "%d %5d|%-5d|%05d", -7, 42, 42, 42) == 20);
    assert(strcmp(b, "-7    42|42   |00042") == 0);
    snprintf(b, sizeof b, "%u %x %X %o %#x", 4000000000u, 255, 255, 8, 16);
    assert(strcmp(b, "4000000000 ff FF 10 0x10") == 0);
    snprintf(b, sizeof b, "%s|%.2s|%5s|%c|%%", "str", "str", "str", 'c');
    assert(strcmp(b, "str|st|  str|c|%") == 0);
    snprintf(b, sizeof b, "%ld %lld %zu %hhd", -1L, 1LL << 40, (size_t)9, 257);
    assert(strcmp(b, "-1 1099511627776 9 1") == 0);
    snprintf(b, sizeof b, "%.2f %g %*d", 3.14159, 0.5, 4, 7);
    assert(strcmp(b, "3.14 0.5    7") == 0);
    assert(snprintf(b, 4, "abcdefg") == 7);
    assert(strcmp(b, "abc") == 0);
    assert(sprintf(b, "%s-%s", "a", "b") == 3);
    return 0;
}
