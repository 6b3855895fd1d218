// By the rules of C99 a file with a declaration `extern inline` has the external definition.
#include <assert.h>

inline int square(int x)
{
    return x * x;
}

extern inline int square(int x);

extern inline int next(int x)
{
    return x + 1;
}

int main(void)
{
    int (*f)(int) = next;
    assert(square(4) == 16 && f(1) == 2);
    return 0;
}
