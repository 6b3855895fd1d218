// Bytes, words and bit-fields of one union; some are written at an index that is an input.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

union both {
    unsigned char c[8];
    unsigned short h[4];
    unsigned long long q;
    struct {
        unsigned a : 5;
        int b : 9;
        unsigned long long rest : 40;
    } f;
};

int main(void)
{
    union both u = {.q = 0};
    unsigned char i = __VERIFIER_nondet_uchar(), byte = __VERIFIER_nondet_uchar();
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(i < 8);
    u.q = x * 0x100000001ULL;
    unsigned long long before = u.q;
    u.c[i] = byte;
    assert(u.q == ((before & ~(0xffULL << 8 * i)) | (unsigned long long)byte << 8 * i));
    assert((u.h[i / 2] >> 8 * (i % 2) & 0xff) == byte);
    u.f.b = (int)x;
    int sign = x & 0x100 ? (int)(x & 0x1ff) - 0x200 : (int)(x & 0x1ff);
    assert(u.f.b == sign);
    assert((u.q >> 5 & 0x1ff) == (x & 0x1ff));
    unsigned a = u.f.a;
    assert(++u.f.a == (a + 1) % 32);
    assert(u.f.b == sign);
    return 0;
}
