// What C says of signed division: the checksum is what two compilers compute.
#include <assert.h>

static unsigned checksum(void)
{
    static const int tops[] = {7, -7, 100, -100, 2147483647, -2147483647, 1, -1}, bottoms[] = {3, -3, 10, -10, 2, -2, 65537};
    unsigned sum = 1;
    for (unsigned i = 0; i < sizeof tops / sizeof *tops; i++)
        for (unsigned k = 0; k < sizeof bottoms / sizeof *bottoms; k++)
            sum = sum * 17 + (unsigned)(tops[i] / bottoms[k]) * 5 + (unsigned)(tops[i] % bottoms[k]);
    return sum;
}

int main(void)
{
    assert(checksum() == 2246256081u);
    return 0;
}
