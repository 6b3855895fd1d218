// sleave: --property race
// One counter is guarded, one is atomic, one is neither.
#include <atomic>
#include <mutex>
#include <thread>

int plain, guarded;
std::atomic<int> counted{0};
std::mutex lock;

static void work()
{
    {
        std::lock_guard<std::mutex> hold(lock);
        guarded++;
    }
    counted.fetch_add(1, std::memory_order_relaxed);
    plain++; //~ BUG(race)
}

int main()
{
    std::thread first(work), second(work);
    first.join();
    second.join();
}
