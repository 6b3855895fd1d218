// A task of its own thread, and its result.
#include <future>

int main()
{
    auto answer = std::async(std::launch::async, [] { return 42; });
    return answer.get() != 42;
}
