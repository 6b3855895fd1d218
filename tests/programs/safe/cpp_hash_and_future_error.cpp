// As libstdc++ computes and words them.
#include <cassert>
#include <cstring>
#include <future>
#include <string>

int main() {
    assert(std::hash<std::string>()("abc") == 3663726644998027833ull);
    assert(std::hash<std::string>()("") == 6142509188972423790ull);
    assert(std::hash<double>()(1.5) == 4982507072649106663ull);
    std::promise<int> promise;
    promise.set_value(1);
    try {
        promise.set_value(2);
        assert(false);
    } catch (const std::future_error &error) {
        assert(std::strcmp(error.what(), "std::future_error: Promise already satisfied") == 0);
        assert(error.code().message() == "Promise already satisfied");
    }
}
