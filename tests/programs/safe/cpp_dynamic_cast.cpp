// dynamic_cast down, across, to void and through virtual bases.
#include <cassert>
#include <typeinfo>

struct A {
    virtual ~A() {}
    int a = 1;
};
struct B {
    virtual ~B() {}
    int b = 2;
};
struct C : A, B {
    int c = 3;
};
struct D : C {};
struct Other : A {};
struct Root {
    virtual ~Root() {}
};
struct Left : virtual Root {
    int left = 4;
};
struct Right : virtual Root {
    int right = 5;
};
struct Diamond : Left, Right {};
struct Hidden : A, private B {};

int main()
{
    D d;
    A *a = &d;
    assert(dynamic_cast<C *>(a)->c == 3);
    assert(dynamic_cast<B *>(a)->b == 2);
    assert(dynamic_cast<void *>(static_cast<B *>(&d)) == &d);
    assert(dynamic_cast<Other *>(a) == nullptr);
    assert(typeid(*a) == typeid(D));
    Diamond diamond;
    Root *root = &diamond;
    assert(dynamic_cast<Right *>(root)->right == 5);
    assert(dynamic_cast<Left *>(dynamic_cast<Right *>(root))->left == 4);
    Hidden hidden;
    a = &hidden;
    assert(dynamic_cast<B *>(a) == nullptr);
    assert(dynamic_cast<Hidden *>(a) == &hidden);
}
