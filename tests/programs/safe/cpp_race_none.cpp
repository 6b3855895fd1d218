// sleave: --property race
// One counter is guarded, one is atomic; a flag publishes what was written before.
#include <atomic>
#include <mutex>
#include <thread>

int guarded, data;
std::atomic<int> counted{0};
std::atomic<bool> ready{false};
std::mutex lock;

static void work()
{
    {
        std::lock_guard<std::mutex> hold(lock);
        guarded++;
    }
    counted.fetch_add(1, std::memory_order_relaxed);
}

int main()
{
    std::thread first([] {
        data = 1;
        ready.store(true, std::memory_order_release);
        work();
    });
    std::thread second([] {
        work();
        if (ready.load(std::memory_order_acquire))
            data = 2;
    });
    first.join();
    second.join();
    return guarded != 2;
}
