// sleave: --property race
// The count is atomic, the pointer itself is not: one thread copies it while another assigns to it.
#include <memory>
#include <thread>

static std::shared_ptr<int> p = std::make_shared<int>(1);

int main()
{
    std::thread t([] { p = nullptr; });
    std::shared_ptr<int> q = p; //~ BUG(race)
    t.join();
}
