// sleave: --property race --property assertion
// A static local that two threads want first is constructed once, by one of them, and destroyed once.
#include <cassert>
#include <thread>

static int alive;

struct A {
    int v;
    A() : v(1) { alive++; }
    ~A() { alive--; assert(alive == 0); }
};

static int f()
{
    static A a;
    return a.v;
}

int main()
{
    std::thread t([] { assert(f() == 1); });
    assert(f() == 1);
    t.join();
    assert(alive == 1);
}
