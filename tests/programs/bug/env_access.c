// Whether a file is there is not known, and may change.
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    if (access("config", R_OK) == 0) {
        FILE *f = fopen("config", "r");
        assert(f != NULL); //~ BUG(assertion)
    }
    return 0;
}
