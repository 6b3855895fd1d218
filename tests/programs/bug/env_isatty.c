// Whether somebody sits at a terminal is not known.
#include <assert.h>
#include <unistd.h>

int main(void)
{
    assert(!isatty(1)); //~ BUG(assertion)
    return 0;
}
