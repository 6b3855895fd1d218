// An exception that is thrown again while another one is being handled, in a thread.
#include <cassert>
#include <thread>

static int result;

static void worker()
{
    try {
        try {
            throw 1;
        } catch (int) {
            try {
                try {
                    throw 2;
                } catch (int) {
                    throw;
                }
            } catch (int inner) {
                result += inner;
            }
            throw;
        }
    } catch (int outer) {
        result += 10 * outer;
    }
}

int main()
{
    std::thread t(worker);
    t.join();
    assert(result == 12);
}
