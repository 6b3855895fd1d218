// printf, fprintf, puts, putchar, vprintf: output does not change the verdict.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static int log_line(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vprintf(format, args);
    va_end(args);
    return n;
}

int main(void)
{
    assert(printf("%d-%s\n", 12, "ab") == 6);
    assert(puts("line") >= 0);
    assert(putchar('x') == 'x');
    fprintf(stderr, "warning %d\n", 1);
    fputs("text\n", stdout);
    assert(log_line("%c%c\n", 'a', 'b') == 3);
    fflush(stdout);
    return 0;
}
