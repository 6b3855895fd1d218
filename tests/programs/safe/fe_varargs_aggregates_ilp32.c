// sleave: -- -m32
// The same for 32 bits: small structures through variable arguments, by the classes of the ABI: two floats share half a register.
#include <assert.h>
#include <complex.h>
#include <stdarg.h>

struct point { float x, y, z; };
struct pair { float x, y; };
struct quad { float x[4]; };
struct mixed { float x; int n; double d; };
struct odd { char c[3]; };
struct large { long n[3]; };
struct word { long n; double d; };

static float floats(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    struct point p = va_arg(ap, struct point);
    struct pair q = va_arg(ap, struct pair);
    struct quad r = va_arg(ap, struct quad);
    int last = va_arg(ap, int);
    va_end(ap);
    assert(p.x == 1 && p.y == 2 && p.z == 3);
    assert(q.x == 4 && q.y == 5);
    assert(r.x[0] == 6 && r.x[1] == 7 && r.x[2] == 8 && r.x[3] == 9);
    return last;
}

static void others(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    struct mixed m = va_arg(ap, struct mixed);
    struct odd o = va_arg(ap, struct odd);
    struct large l = va_arg(ap, struct large);
    struct word w = va_arg(ap, struct word);
    float _Complex f = va_arg(ap, float _Complex);
    double _Complex d = va_arg(ap, double _Complex);
    int last = va_arg(ap, int);
    va_end(ap);
    assert(m.x == 1 && m.n == 2 && m.d == 3);
    assert(o.c[0] == 4 && o.c[1] == 5 && o.c[2] == 6);
    assert(l.n[0] == 7 && l.n[1] == 8 && l.n[2] == 9);
    assert(w.n == 10 && w.d == 11);
    assert(crealf(f) == 12 && cimagf(f) == 13);
    assert(creal(d) == 14 && cimag(d) == 15);
    assert(last == 16);
}

int main(void)
{
    struct point p = {1, 2, 3};
    struct pair q = {4, 5};
    struct quad r = {{6, 7, 8, 9}};
    struct mixed m = {1, 2, 3};
    struct odd o = {{4, 5, 6}};
    struct large l = {{7, 8, 9}};
    struct word w = {10, 11};
    assert(floats(0, p, q, r, 5) == 5);
    others(0, m, o, l, w, 12 + 13 * (float _Complex)_Complex_I, 14 + 15 * (double _Complex)_Complex_I, 16);
    return 0;
}
