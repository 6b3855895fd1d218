// A table of all results with one wrong entry: exactly one of 256 inputs fails.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned char table[256];

int main(void)
{
    for (int i = 0; i < 256; i++)
        table[i] = (unsigned char)(i * i ^ i >> 3);
    table[173] ^= 0x40;
    unsigned char x = __VERIFIER_nondet_uchar();
    assert(table[x] == (unsigned char)(x * x ^ x >> 3)); //~ BUG(assertion)
    return 0;
}
