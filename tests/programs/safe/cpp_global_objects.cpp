// Global objects are constructed before main in the order of definition.
#include <cassert>

static int order;

struct stamp {
    int at;
    stamp() : at(++order) {}
};

static stamp first;
static stamp second;

int main()
{
    assert(first.at == 1 && second.at == 2);
}
