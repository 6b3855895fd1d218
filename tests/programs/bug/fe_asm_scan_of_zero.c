// Without a set bit there is no index: the result is anything.
#include <assert.h>

int main(void)
{
    unsigned zero = 0, index;
    __asm__("bsfl %1, %0" : "=r"(index) : "rm"(zero));
    assert(index < 32); //~ BUG(assertion)
    return 0;
}
