// What the functions that print return, and what %n stores.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    assert(putchar(-1) == 255);
    assert(putchar(300) == 44);
    assert(fputc('x', stderr) == 'x');
    assert(putc('y', stdout) == 'y');
    assert(puts("hello") >= 0);
    assert(fputs("a", stdout) >= 0);
    assert(fwrite("abc", 1, 3, stdout) == 3);
    assert(fwrite("abcd", 2, 2, stdout) == 2);
    assert(fwrite("abc", 0, 3, stdout) == 0);
    assert(fwrite("abc", 3, 0, stdout) == 0);
    assert(printf("abc%d", 12) == 5);
    assert(fprintf(stderr, "%s", "abc") == 3);

    char b[16];
    int here = 0;
    long there = -1;
    signed char byte = 0;
    assert(snprintf(b, sizeof b, "ab%nc%ld%ln%hhn", &here, 10L, &there, &byte) == 5);
    assert(here == 2 && there == 5 && byte == 5);

    static const char unterminated[3] = {'a', 'b', 'c'};
    snprintf(b, sizeof b, "%.3s|", unterminated);
    assert(strcmp(b, "abc|") == 0);
    snprintf(b, sizeof b, "%.*s|", -1, "xyz");
    assert(strcmp(b, "xyz|") == 0);
    snprintf(b, sizeof b, "%.*s|", 2, unterminated);
    assert(strcmp(b, "ab|") == 0);
    return 0;
}
