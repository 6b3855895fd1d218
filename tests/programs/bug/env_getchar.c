// The standard input is anything.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    assert(c != 'q'); //~ BUG(assertion)
    return 0;
}
