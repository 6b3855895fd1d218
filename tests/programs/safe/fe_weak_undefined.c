// What is declared weakly and defined nowhere has the address null.
#include <assert.h>

extern void function(void) __attribute__((weak));
extern int variable __attribute__((weak));

int main(void)
{
    assert(!function);
    assert(!&variable);
    if (function)
        function();
    return 0;
}
