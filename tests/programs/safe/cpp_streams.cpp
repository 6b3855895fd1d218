// What threads print with std::cout and std::cerr.
#include <cassert>
#include <iomanip>
#include <iostream>
#include <string>
#include <thread>

static int done;

int main()
{
    std::thread t([] {
        std::cout << "done: " << 1 << ' ' << 2.5 << std::string(" units ") << std::hex << true << std::endl;
        done = 1;
    });
    std::cerr << std::setw(3) << 7UL << '\n';
    t.join();
    assert(done == 1);
}
