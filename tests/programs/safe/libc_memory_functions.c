// memcpy, overlapping memmove, memset, memcmp, memchr.
#include <assert.h>
#include <string.h>

int main(void)
{
    char buffer[10] = "abcdef";
    char copy[10];
    memcpy(copy, buffer, sizeof buffer);
    assert(memcmp(copy, "abcdef", 7) == 0);
    memmove(buffer + 2, buffer, 4);
    assert(memcmp(buffer, "ababcd", 6) == 0);
    memmove(copy, copy + 3, 4);
    assert(strcmp(copy, "def") == 0);
    memset(buffer, 'x', 3);
    assert(memcmp(buffer, "xxxbcd", 6) == 0);
    assert(memcmp("abc", "abd", 3) < 0 && memcmp("b", "a", 1) > 0);
    assert(memchr(buffer, 'b', 6) == buffer + 3);
    assert(memchr(buffer, 'q', 6) == NULL);
    int words[4];
    memset(words, 0xff, sizeof words);
    assert(words[3] == -1);
    return 0;
}
