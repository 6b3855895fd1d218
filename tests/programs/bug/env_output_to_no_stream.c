// The file may not be there, and nobody asks.
#include <stdio.h>

int main(void) {
    FILE *file = fopen("output", "w");
    fputs("text", file); //~ BUG(memory)
    return 0;
}
