// If nothing is read the variable keeps what it was.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n = 3;
    fscanf(stdin, "%d", &n);
    assert(n != 3); //~ BUG(assertion)
    return 0;
}
