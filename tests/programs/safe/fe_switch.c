// Switch: fall-through, ranges, negative cases, 64-bit scrutinee, default in the middle.
#include <assert.h>

static int classify(long long v)
{
    switch (v) {
    case -1: return 1;
    case 0x100000000LL: return 2;
    default: return 9;
    case 10 ... 19: return 3;
    case 5:
        v++; /* falls through */
    case 6:
        return (int)v * 10;
    }
}

int main(void)
{
    assert(classify(-1) == 1);
    assert(classify(0x100000000LL) == 2);
    assert(classify(0) == 9);
    assert(classify(15) == 3);
    assert(classify(5) == 60);
    assert(classify(6) == 60);
    return 0;
}
