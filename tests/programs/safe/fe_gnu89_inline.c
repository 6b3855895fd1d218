// sleave: -- -fgnu89-inline
// A plain `inline` function has a body even at -O0, by the rules of gnu89.
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
