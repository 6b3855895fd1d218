// std::thread, std::mutex and std::lock_guard: no update is lost.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex m;
static int counter;

static void worker(int amount)
{
    std::lock_guard<std::mutex> guard(m);
    counter += amount;
}

int main()
{
    std::thread a(worker, 1);
    std::thread b(worker, 2);
    a.join();
    b.join();
    assert(counter == 3);
    assert(!a.joinable());
}
