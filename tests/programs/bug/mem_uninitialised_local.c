// An uninitialised local may have any value, so nothing can be asserted of it.
#include <assert.h>

int main(void)
{
    int x;
    int *p = &x;
    assert(*p != 1234567); //~ BUG(assertion)
    return 0;
}
