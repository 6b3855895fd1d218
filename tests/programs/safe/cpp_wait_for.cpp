// std::condition_variable::wait_for with a predicate ends, by a signal or by a time-out.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable changed;
static bool ready;

int main()
{
    std::thread t([] {
        std::lock_guard<std::mutex> guard(m);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(m);
        bool in_time = changed.wait_for(lock, std::chrono::seconds(1), [] { return ready; });
        assert(in_time == ready);
    }
    t.join();
    assert(ready);
}
