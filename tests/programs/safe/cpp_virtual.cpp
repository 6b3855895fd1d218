// Virtual calls, multiple inheritance, virtual destructors, dynamic dispatch in constructors.
#include <cassert>

static int destroyed;

struct shape {
    virtual int area() const = 0;
    virtual ~shape() { destroyed++; }
};
struct named {
    virtual char name() const { return '?'; }
    virtual ~named() {}
};
struct square : shape, named {
    int side;
    explicit square(int s) : side(s) {}
    int area() const override { return side * side; }
    char name() const override { return 's'; }
};

int main()
{
    shape *s = new square(4);
    assert(s->area() == 16);
    named *n = static_cast<square *>(s);
    assert(n->name() == 's');
    assert(n->named::name() == '?');
    delete n;
    assert(destroyed == 1);
}
