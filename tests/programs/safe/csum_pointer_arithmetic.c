// What C says of pointer arithmetic: the checksum is what two compilers compute.
#include <assert.h>

static unsigned checksum(void)
{
    int grid[4][5];
    int *flat = &grid[0][0];
    for (int i = 0; i < 20; i++)
        flat[i] = (i * 7) % 11;
    unsigned sum = 0;
    for (int (*row)[5] = grid; row < grid + 4; row++)
        for (int *p = *row + 4; p >= *row; p -= 2)
            sum = sum * 13 + (unsigned)*p + (unsigned)(p - flat);
    return sum + (unsigned)((char *)&grid[3][1] - (char *)&grid[1][4]);
}

int main(void)
{
    assert(checksum() == 2581884499u);
    return 0;
}
