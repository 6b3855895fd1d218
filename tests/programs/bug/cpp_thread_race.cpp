// A lambda that captures a local by reference runs in two std::threads.
#include <cassert>
#include <thread>

int main()
{
    int counter = 0;
    auto increment = [&counter] { counter = counter + 1; };
    std::thread a(increment);
    std::thread b(increment);
    a.join();
    b.join();
    assert(counter == 2); //~ BUG(assertion)
}
