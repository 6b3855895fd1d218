// rand is an input: no seed makes its value certain.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    srand(1);
    int dice = rand() % 6 + 1;
    assert(dice != 6); //~ BUG(assertion)
    return 0;
}
