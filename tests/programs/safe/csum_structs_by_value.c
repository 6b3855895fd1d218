// What C says of structs by value: the checksum is what two compilers compute.
#include <assert.h>

struct small { char a; short b; };
struct large { int a[5]; struct small s; long long l; };
static struct large twist(struct large x, struct small y)
{
    for (int i = 0; i < 5; i++)
        x.a[i] += x.a[(i + 2) % 5] * y.b + y.a;
    x.s.a = (char)(x.s.a + y.b);
    x.s.b = (short)(x.s.b - y.a);
    x.l = x.l * 3 - x.a[4];
    return x;
}
static unsigned checksum(void)
{
    struct large x = {{1, -2, 3, -4, 5}, {6, -7}, 8};
    unsigned sum = 0;
    for (int i = 0; i < 6; i++) {
        x = twist(x, (struct small){(char)(i - 2), (short)(2 - i)});
        sum = sum * 37 + (unsigned)x.a[i % 5] + (unsigned)x.s.a + (unsigned)x.s.b + (unsigned)(x.l >> i);
    }
    return sum;
}

int main(void)
{
    assert(checksum() == 3829946734u);
    return 0;
}
