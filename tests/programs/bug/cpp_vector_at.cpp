// An exception of the standard library that nobody catches.
#include <vector>

int main()
{
    std::vector<int> v(3);
    return v.at(3); //~ BUG(abort)
}
