// The steady clock does not run backwards, for a thread, and since before there were threads.
#include <cassert>
#include <chrono>
#include <thread>

using clock_type = std::chrono::steady_clock;

int main()
{
    auto start = clock_type::now();
    std::thread worker([&] {
        auto begin = clock_type::now();
        assert(begin >= start && clock_type::now() >= begin);
    });
    worker.join();
    assert(clock_type::now() - start >= clock_type::duration::zero());
}
