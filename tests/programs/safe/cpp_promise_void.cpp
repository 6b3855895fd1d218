// A promise of nothing, kept by another thread.
#include <future>
#include <thread>

int main()
{
    std::promise<void> done;
    std::promise<int &> place;
    auto waiter = done.get_future();
    std::thread worker([&] { done.set_value(); });
    waiter.get();
    worker.join();
}
