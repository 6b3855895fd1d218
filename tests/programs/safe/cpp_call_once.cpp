// std::call_once: the others wait for the one that runs it.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int runs;

static void worker()
{
    std::call_once(flag, [](int amount) { runs += amount; }, 1);
    assert(runs == 1);
}

int main()
{
    std::thread t(worker);
    worker();
    t.join();
}
