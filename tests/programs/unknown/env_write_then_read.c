// What was written could be read back; files have no contents here.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    FILE *f = fopen("data", "w");
    if (!f)
        return 0;
    fputs("x", f);
    fclose(f);
    f = fopen("data", "r");
    if (f)
        assert(fgetc(f) == 'x'); //~ UNKNOWN(unmodelled function: reading a file after one was opened for writing)
    return 0;
}
