// new, delete, new[], delete[] with constructors and destructors.
#include <cassert>

static int alive;

struct counted {
    int value;
    counted(int v = 0) : value(v) { alive++; }
    ~counted() { alive--; }
};

int main()
{
    counted *one = new counted(5);
    assert(one->value == 5 && alive == 1);
    counted *many = new counted[3];
    assert(alive == 4 && many[2].value == 0);
    delete one;
    delete[] many;
    assert(alive == 0);
    int *zeroed = new int[4]();
    assert(zeroed[3] == 0);
    delete[] zeroed;
}
