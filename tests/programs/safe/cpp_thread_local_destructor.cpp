// thread_local objects: destroyed at their thread's end, the last one constructed first; main's before the global ones.
#include <cassert>
#include <thread>

static int order;

struct Global {
    ~Global() { assert(order == 44); }
};

struct Digit {
    int digit;
    ~Digit() { order = order * 10 + digit; }
};

static Global global;
static thread_local Digit mains{4};

static void worker()
{
    static thread_local Digit first{1};
    static thread_local Digit second{2};
    assert(first.digit + second.digit == 3);
}

int main()
{
    std::thread t(worker);
    t.join();
    assert(order == 21);
    order = 4;
    assert(mains.digit == 4);
}
