// A word may be longer than the buffer.
#include <stdio.h>

int main(void)
{
    char word[4];
    scanf("%s", word); //~ BUG(memory)
    return 0;
}
