// A file may be there, with anything in it.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    FILE *f = fopen("data.txt", "r");
    if (f) {
        int c = fgetc(f);
        fclose(f);
        assert(c != 'x'); //~ BUG(assertion)
    }
    return 0;
}
