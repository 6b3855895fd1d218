// long double keeps 64 bits of mantissa on x86.
#include <assert.h>

int main(void)
{
    long double one = 1.0L, tiny = 1.0L;
    for (int i = 0; i < 60; i++) tiny /= 2;
    assert(one + tiny != one);
    assert((double)(one + tiny) == 1.0);
    long long n = (1LL << 62) + 1;
    assert((long long)(long double)n == n);
    return 0;
}
