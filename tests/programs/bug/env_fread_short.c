// Less may be read than asked for: the rest stays as it was.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char block[32] = {0};
    size_t n = fread(block, 1, sizeof block, stdin);
    assert(n != 3 || block[2] != 'z' || block[3] == 0);
    assert(n != 3 || block[2] != 'z'); //~ BUG(assertion)
    return 0;
}
