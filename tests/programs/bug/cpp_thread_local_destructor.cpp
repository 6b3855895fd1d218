// The destructor of a thread_local object runs when its thread ends.
#include <cassert>
#include <thread>

struct Checked {
    int value = 1;
    ~Checked()
    {
        assert(value == 1); //~ BUG(assertion)
    }
};

static thread_local Checked checked;

int main()
{
    std::thread t([] { checked.value = 2; });
    t.join();
}
