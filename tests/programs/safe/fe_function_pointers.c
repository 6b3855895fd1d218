// Function pointers: tables, parameters, comparison, struct members, casts.
#include <assert.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int apply(operation f, int a, int b) { return f(a, b); }

struct ops { operation run; const char *name; };
static const struct ops table[] = {{add, "add"}, {sub, "sub"}};

int main(void)
{
    assert(apply(table[0].run, 5, 3) == 8);
    assert((*table[1].run)(5, 3) == 2);
    operation chosen = table[1].run;
    assert(chosen == sub && chosen != add);
    void *raw = (void *)chosen;
    assert(((operation)raw)(1, 1) == 0);
    operation none = 0;
    assert(!none);
    return 0;
}
