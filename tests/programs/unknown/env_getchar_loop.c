// Only so many bytes of the standard input are made up.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n = 0;
    while (getchar() != EOF) //~ UNKNOWN(input length: stdin)
        n++;
    assert(n < 100);
    return 0;
}
