// The input may end at any time: a char cannot tell the end from a byte.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int first = getchar();
    if (first == EOF)
        return 0;
    int second = getchar();
    assert(second != EOF); //~ BUG(assertion)
    return 0;
}
