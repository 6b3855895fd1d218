// A load and a store of a std::atomic are two operations.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> counter{0};

int main()
{
    auto increment = [] { counter = counter + 1; };
    std::thread a(increment);
    std::thread b(increment);
    a.join();
    b.join();
    assert(counter.load() == 2); //~ BUG(assertion)
}
