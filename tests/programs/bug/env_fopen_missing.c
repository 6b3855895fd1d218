// A file may not be there.
#include <stdio.h>

int main(void)
{
    FILE *f = fopen("data.txt", "r");
    return fgetc(f); //~ BUG(memory)
}
