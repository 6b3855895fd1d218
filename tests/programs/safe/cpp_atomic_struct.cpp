// Atomic objects of three words: a store is one step.
#include <atomic>
#include <cassert>
#include <thread>

struct Triple {
    long a, b, c;
};

static std::atomic<Triple> shared{Triple{0, 0, 0}};

int main()
{
    std::thread t([] { shared = Triple{1, 1, 1}; });
    Triple seen = shared;
    assert(seen.a == seen.b && seen.b == seen.c);
    t.join();
    Triple expected{2, 2, 2};
    assert(!shared.compare_exchange_strong(expected, Triple{3, 3, 3}));
    assert(expected.c == 1);
    assert(shared.exchange(Triple{4, 4, 4}).a == 1);
}
