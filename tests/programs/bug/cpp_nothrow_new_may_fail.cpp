// sleave: --malloc-may-fail
// An exception needs no malloc, and new does not fail; but one that does not throw may.
#include <new>
#include <stdexcept>

int main()
{
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &) {
    }
    int *certain = new int(1);
    delete certain;
    int *number = new (std::nothrow) int;
    *number = 1; //~ BUG(memory)
    delete number;
    return 0;
}
