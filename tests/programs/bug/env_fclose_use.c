// A stream that was closed is gone.
#include <stdio.h>

int main(void)
{
    FILE *f = fopen("data.txt", "r");
    if (!f)
        return 1;
    fclose(f);
    return fgetc(f); //~ BUG(memory)
}
