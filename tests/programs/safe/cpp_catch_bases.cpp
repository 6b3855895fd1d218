// Handlers for bases: one of several, a virtual one, not a private or an ambiguous one.
#include <cassert>

struct A {
    int a = 1;
    virtual ~A() {}
};
struct B {
    int b = 2;
    virtual ~B() {}
};
struct Both : A, B {
    int c = 3;
};
struct Root {
    int root = 9;
};
struct Left : virtual Root {};
struct Right : private virtual Root {};
struct Diamond : Left, Right {};
struct Private : private A, public B {};
struct One : A {};
struct Two : A {};
struct Twice : One, Two {};

template <typename Thrown, typename Caught> static int caught(int Caught::*member)
{
    try {
        throw Thrown();
    } catch (Caught &c) {
        return c.*member;
    } catch (...) {
        return -1;
    }
}

int main()
{
    assert((caught<Both>(&A::a) == 1));
    assert((caught<Both>(&B::b) == 2));
    assert((caught<Both>(&Both::c) == 3));
    assert((caught<Diamond>(&Root::root) == 9));
    assert((caught<Private>(&A::a) == -1));
    assert((caught<Private>(&B::b) == 2));
    assert((caught<Twice>(&A::a) == -1));
    int by_value = 0;
    try {
        throw Both();
    } catch (B b) {
        by_value = b.b;
    }
    assert(by_value == 2);
}
