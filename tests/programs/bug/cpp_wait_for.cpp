// std::condition_variable::wait_for may time out.
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
        changed.wait_for(lock, std::chrono::milliseconds(10), [] { return ready; });
        assert(ready); //~ BUG(assertion)
    }
    t.join();
}
