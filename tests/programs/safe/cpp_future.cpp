// sleave: --no-spurious
// A promise is kept, and one is broken by an exception.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread t([&] { promise.set_value(7); });
    assert(future.get() == 7);
    t.join();
    std::promise<int> other;
    other.set_exception(std::make_exception_ptr(std::runtime_error("no")));
    int caught = 0;
    try {
        other.get_future().get();
    } catch (const std::exception &e) {
        caught = e.what()[0];
    }
    assert(caught == 'n');
}
