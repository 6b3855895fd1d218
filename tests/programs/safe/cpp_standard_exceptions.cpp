// Exceptions that the standard library throws, and its exception classes.
#include <cassert>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <vector>

struct Base {
    virtual ~Base() {}
};
struct Derived : Base {};
struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
};

int main()
{
    std::vector<int> v(3);
    int caught = 0;
    try {
        v.at(5) = 1;
    } catch (const std::out_of_range &) {
        caught = 1;
    }
    assert(caught == 1);
    try {
        throw Mine(std::string("x"));
    } catch (const std::exception &e) {
        caught = e.what()[0];
    }
    assert(caught == 'x');
    try {
        std::thread().join();
    } catch (const std::system_error &e) {
        caught = e.code().value();
    }
    assert(caught == 22);
    Base base;
    try {
        dynamic_cast<Derived &>(base);
    } catch (const std::bad_cast &) {
        caught = 4;
    }
    assert(caught == 4);
}
