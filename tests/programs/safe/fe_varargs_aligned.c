// What is aligned to sixteen bytes is so among variable arguments, too.
#include <assert.h>
#include <stdarg.h>

struct aligned { _Alignas(16) long n[4]; };
struct extended { long double d; int n; };

static void f(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    long first = va_arg(ap, long);
    struct extended e = va_arg(ap, struct extended);
    int second = va_arg(ap, int);
    __int128 wide = va_arg(ap, __int128);
    int third = va_arg(ap, int);
    struct aligned a = va_arg(ap, struct aligned);
    long double d = va_arg(ap, long double);
    int last = va_arg(ap, int);
    va_end(ap);
    assert(first == 1 && second == 4 && third == 6 && last == 12);
    assert(e.d == 2 && e.n == 3);
    assert(wide == (__int128)5 << 64);
    assert(a.n[0] == 7 && a.n[3] == 10);
    assert(d == 11);
}

int main(void)
{
    struct extended e = {2, 3};
    struct aligned a = {{7, 8, 9, 10}};
    f(0, 1l, e, 4, (__int128)5 << 64, 6, a, 11.0l, 12);
    return 0;
}
