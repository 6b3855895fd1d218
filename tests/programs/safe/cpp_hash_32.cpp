// sleave: -- -m32
// As libstdc++ computes them where a size has 32 bits.
#include <cassert>
#include <string>

int main() {
    assert(std::hash<std::string>()("abc") == 3350977461u);
    assert(std::hash<std::string>()("") == 3990065800u);
    assert(std::hash<std::string>()("abcdefg") == 3677849364u);
    assert(std::hash<double>()(1.5) == 3643189133u);
}
