// What C says of bit fields: the checksum is what two compilers compute.
#include <assert.h>

struct flags { unsigned a : 3, b : 11; signed c : 5; unsigned : 0; unsigned d : 17; signed e : 9; };
static unsigned checksum(void)
{
    struct flags f = {0};
    unsigned sum = 7;
    for (int i = 0; i < 12; i++) {
        f.a += 3;
        f.b = f.b * 5 + f.a;
        f.c = (signed char)(f.c - 3 * i) % 16;
        f.d ^= f.b << i % 6;
        f.e = (f.e + f.c) / 2;
        sum = sum * 31 + f.a + f.b + (unsigned)f.c + f.d + (unsigned)f.e;
    }
    return sum;
}

int main(void)
{
    assert(checksum() == 3696115130u);
    return 0;
}
