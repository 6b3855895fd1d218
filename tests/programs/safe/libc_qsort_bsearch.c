// qsort and bsearch call back into the program.
#include <assert.h>
#include <stdlib.h>

static int calls;

static int ascending(const void *a, const void *b)
{
    calls++;
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int v[6] = {5, 3, 9, 1, 7, 3};
    qsort(v, 6, sizeof v[0], ascending);
    for (int i = 1; i < 6; i++)
        assert(v[i - 1] <= v[i]);
    assert(calls > 0);
    int key = 7, missing = 4;
    int *found = bsearch(&key, v, 6, sizeof v[0], ascending);
    assert(found && *found == 7);
    assert(bsearch(&missing, v, 6, sizeof v[0], ascending) == NULL);
    return 0;
}
