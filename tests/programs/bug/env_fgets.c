// A line need not have a newline at its end, nor any byte at all before it.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[5];
    if (fgets(line, sizeof line, stdin) == NULL)
        return 0;
    size_t length = strlen(line);
    line[length - 1] = 0; //~ BUG(memory)
    return 0;
}
