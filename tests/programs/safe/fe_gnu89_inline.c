// A plain `inline` function must have a body even at -O0 (gnu89 inline rules).
#include <assert.h>

inline int square(int x)
{
    return x * x;
}

static inline int cube(int x)
{
    return x * square(x);
}

int main(void)
{
    assert(square(4) == 16);
    assert(cube(3) == 27);
    return 0;
}
