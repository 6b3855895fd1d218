// A number may be any.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) == 1)
        assert(n != 5); //~ BUG(assertion)
    return 0;
}
