// rand and rand_r stay between 0 and RAND_MAX.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    unsigned seed = 3;
    int r = rand(), s = rand_r(&seed);
    assert(r >= 0 && r <= RAND_MAX);
    assert(s >= 0 && s <= RAND_MAX);
    int dice = r % 6 + 1;
    assert(dice >= 1 && dice <= 6);
    return 0;
}
