// expect: safe
// An inline function of C99: one of the files has its external definition.
#include "square.h"
#include <assert.h>

int fourth(int x);

int main(void)
{
    assert(square(2) == 4 && fourth(2) == 16);
    return 0;
}
