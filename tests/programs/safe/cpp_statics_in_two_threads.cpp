// Static locals with destructors, constructed by two threads: both are destroyed at exit.
#include <thread>

struct A {
    int v = 1;
    ~A() { v = 0; }
};

static int f()
{
    static A a;
    return a.v;
}

static int g()
{
    static A b;
    return b.v;
}

int main()
{
    std::thread t([] { f(); });
    std::thread u([] { g(); });
    t.join();
    u.join();
}
