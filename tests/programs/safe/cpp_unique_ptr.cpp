// Ownership moves with a unique_ptr, and the object is destroyed once.
#include <cassert>
#include <memory>
#include <utility>

static int destroyed;

struct resource {
    int value = 7;
    ~resource() { destroyed++; }
};

int main()
{
    {
        std::unique_ptr<resource> a(new resource);
        std::unique_ptr<resource> b = std::move(a);
        assert(!a && b->value == 7);
    }
    assert(destroyed == 1);
}
