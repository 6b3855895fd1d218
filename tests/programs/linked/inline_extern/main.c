// expect: safe
// `extern inline` is an external definition in C99.
#include <assert.h>

int next(int x);

int main(void)
{
    assert(next(1) == 2);
    return 0;
}
