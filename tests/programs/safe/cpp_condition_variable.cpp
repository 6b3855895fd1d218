// std::condition_variable with a predicate and std::unique_lock.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable ready_changed;
static bool ready;
static int data;

int main()
{
    std::thread producer([] {
        std::lock_guard<std::mutex> guard(m);
        data = 42;
        ready = true;
        ready_changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(m);
        ready_changed.wait(lock, [] { return ready; });
        assert(data == 42);
    }
    producer.join();
}
