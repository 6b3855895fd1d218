// Two threads copy a shared_ptr, and none of the references is lost.
#include <cassert>
#include <memory>
#include <thread>

int main()
{
    auto p = std::make_shared<int>(1);
    std::thread t([p] { auto q = p; });
    std::thread u([p] { auto q = p; });
    t.join();
    u.join();
    assert(p.use_count() == 1);
}
