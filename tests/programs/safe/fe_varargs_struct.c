// A structure too large for registers goes through a variable argument list by value.
#include <assert.h>
#include <stdarg.h>

struct six { int a, b, c, d, e, f; };

static int ends(int n, ...)
{
    va_list list;
    va_start(list, n);
    struct six s = va_arg(list, struct six);
    int last = va_arg(list, int);
    va_end(list);
    return s.a + s.f + last;
}

int main(void)
{
    struct six s = {1, 2, 3, 4, 5, 6};
    assert(ends(0, s, 10) == 17);
    return 0;
}
