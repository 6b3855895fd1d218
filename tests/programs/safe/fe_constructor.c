// Constructors run before main, by priority; a destructor runs after it.
#include <assert.h>

static int order;
static int at_first, at_second;

__attribute__((constructor(201))) static void second(void) { at_second = ++order; }
__attribute__((constructor(200))) static void first(void) { at_first = ++order; }
__attribute__((destructor)) static void last(void) { assert(order == 3); }

int main(void)
{
    assert(at_first == 1 && at_second == 2);
    order++;
    return 0;
}
