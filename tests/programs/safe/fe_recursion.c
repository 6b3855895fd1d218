// Recursion: direct, mutual, and through pointers to locals of a caller.
#include <assert.h>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
static int is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

static void deepest(int depth, int *result)
{
    int local = depth;
    if (depth == 0) *result = 100;
    else deepest(depth - 1, result);
    assert(local == depth);
}

int main(void)
{
    int result = 0;
    assert(fib(10) == 55);
    assert(is_even(10) && !is_odd(4));
    deepest(5, &result);
    assert(result == 100);
    return 0;
}
