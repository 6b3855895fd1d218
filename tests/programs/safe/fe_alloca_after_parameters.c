// alloca with a constant comes after the parameters were stored, and leaves them alone.
#include <alloca.h>
#include <assert.h>

static int id(int p)
{
    char *a = alloca(8);
    a[0] = 1;
    return p;
}

static int sum(int p, int q)
{
    int local = p + 1;
    int *a = alloca(sizeof *a);
    int *b = alloca(2 * sizeof *b);
    *a = q;
    b[1] = local;
    return *a + b[1] + p + q + local;
}

int main(void)
{
    assert(id(5) == 5);
    assert(sum(1, 10) == 25);
    return 0;
}
