// sleave: --env MODE=fast
// The command line says what the variable is.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *mode = getenv("MODE");
    assert(mode != NULL);
    assert(strlen(mode) == 4);
    assert(strcmp(mode, "fast") != 0); //~ BUG(assertion)
    return 0;
}
