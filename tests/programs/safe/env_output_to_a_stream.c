// The file may not be there.
#include <stdio.h>

int main(void) {
    FILE *file = fopen("output", "w");
    if (file)
        fputs("text", file);
    return 0;
}
