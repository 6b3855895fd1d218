// std::unique_lock: deferred, try_lock, early unlock, and std::try_to_lock.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
static int value;

int main()
{
    std::unique_lock<std::mutex> lock(m, std::defer_lock);
    assert(!lock.owns_lock());
    assert(lock.try_lock() && lock.owns_lock());
    bool got = true;
    std::thread other([&got] {
        std::unique_lock<std::mutex> attempt(m, std::try_to_lock);
        got = attempt.owns_lock();
    });
    other.join();
    assert(!got);
    value = 1;
    lock.unlock();
    std::thread last([] {
        std::lock_guard<std::mutex> guard(m);
        assert(value == 1);
    });
    last.join();
}
