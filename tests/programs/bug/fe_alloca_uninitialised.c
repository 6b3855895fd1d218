// What alloca gives is any value, also after another local was written.
#include <alloca.h>
#include <assert.h>

static int id(int p)
{
    int *a = alloca(sizeof *a);
    return *a == 7 ? 0 : p;
}

int main(void)
{
    assert(id(5) == 5); //~ BUG(assertion)
    return 0;
}
