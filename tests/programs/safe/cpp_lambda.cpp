// Lambdas that capture by value and by reference, passed as template arguments.
#include <cassert>

template <typename F> static int twice(F f, int x) { return f(f(x)); }

int main()
{
    int calls = 0, step = 3;
    auto add = [&calls, step](int x) { calls++; return x + step; };
    step = 100;
    assert(twice(add, 1) == 7);
    assert(calls == 2);
    int (*plain)(int) = [](int x) { return -x; };
    assert(plain(4) == -4);
}
