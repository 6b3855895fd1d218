// The count of a std::shared_ptr is atomic once there is a second thread: the object is destroyed once.
#include <cassert>
#include <memory>
#include <thread>

static int destroyed;

struct Thing {
    ~Thing() { destroyed++; }
};

int main()
{
    auto p = std::make_shared<Thing>();
    std::thread t([q = p] {});
    p.reset();
    t.join();
    assert(destroyed == 1);
}
