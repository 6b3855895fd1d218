// No more is read than there is room for, and what was not read stays.
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char block[20] = {0};
    size_t n = fread(block, 2, 9, stdin);
    assert(n <= 9 && block[18] == 0);
    assert(n > 3 || block[8] == 0);
    long m = read(0, block, 1);
    assert(m == -1 || m == 0 || m == 1);
    return 0;
}
