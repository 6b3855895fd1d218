// Handlers for pointers: to a base, to const, to void, by reference; of another type, no.
#include <cassert>

struct A {
    int a = 1;
};
struct X {
    int x = 2;
};
struct B : X, A {};

int main()
{
    B b;
    int result = 0;
    try {
        throw &b;
    } catch (A *p) {
        result = p->a;
    }
    assert(result == 1);
    try {
        throw &b;
    } catch (const B *p) {
        result = p->x;
    }
    assert(result == 2);
    try {
        throw &b;
    } catch (int *) {
        result = 0;
    } catch (void *p) {
        result = p == &b ? 3 : 0;
    }
    assert(result == 3);
    try {
        throw static_cast<const B *>(&b);
    } catch (B *) {
        result = 0;
    } catch (const A *const &p) {
        result = p->a + 3;
    }
    assert(result == 4);
    try {
        throw "text";
    } catch (char *) {
        result = 0;
    } catch (const char *const &p) {
        result = p[0];
    }
    assert(result == 't');
    try {
        throw nullptr;
    } catch (A *p) {
        result = p == nullptr ? 6 : 0;
    }
    assert(result == 6);
}
