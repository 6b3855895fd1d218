// A variable of the environment may be set.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *debug = getenv("DEBUG");
    assert(debug == NULL || debug[0] != '1'); //~ BUG(assertion)
    return 0;
}
