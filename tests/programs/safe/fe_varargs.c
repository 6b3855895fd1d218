// A variadic function of our own: ints, doubles, pointers, more arguments than registers, va_copy.
#include <assert.h>
#include <stdarg.h>

static long total(const char *kinds, ...)
{
    va_list args;
    long sum = 0;
    va_start(args, kinds);
    for (; *kinds; kinds++) {
        if (*kinds == 'i') sum += va_arg(args, int);
        else if (*kinds == 'l') sum += va_arg(args, long);
        else if (*kinds == 'd') sum += (long)va_arg(args, double);
        else sum += *va_arg(args, int *);
    }
    va_end(args);
    return sum;
}

static int pick_twice(int n, ...)
{
    va_list args, again;
    va_start(args, n);
    va_copy(again, args);
    int first = va_arg(args, int);
    int same = va_arg(again, int);
    va_end(again);
    va_end(args);
    return first == same ? first : -1;
}

int main(void)
{
    int five = 5;
    assert(total("iildp", 1, 2, 3L, 4.0, &five) == 15);
    assert(total("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 55);
    assert(total("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.) == 55);
    assert(pick_twice(2, 17, 18) == 17);
    return 0;
}
