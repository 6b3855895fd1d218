// Looking for a set bit, and turning bytes around.
#include <assert.h>

static unsigned lowest(unsigned x)
{
    unsigned index;
    __asm__("bsfl %1, %0" : "=r"(index) : "rm"(x));
    return index;
}

static unsigned highest(unsigned x)
{
    unsigned index;
    __asm__("bsrl\t%1, %0\n\t" : "=r"(index) : "rm"(x));
    return index;
}

static int is_zero(unsigned long long x)
{
    unsigned long long index;
    unsigned char zero;
    __asm__("bsfq %2, %0; setz %1" : "=r"(index), "=q"(zero) : "r"(x));
    return zero;
}

static unsigned swapped(unsigned x)
{
    __asm__("bswap %0" : "+r"(x));
    return x;
}

int main(void)
{
    assert(lowest(0x50) == 4 && lowest(1) == 0 && lowest(0x80000000) == 31);
    assert(highest(0x50) == 6 && highest(1) == 0 && highest(0xffffffff) == 31);
    assert(is_zero(0) && !is_zero(1ull << 40));
    assert(swapped(0x01020304) == 0x04030201);
    return 0;
}
