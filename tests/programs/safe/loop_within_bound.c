// sleave: --unwind 20
// Loops that stay below the bound leave nothing out; the bound counts each entry of the inner loop afresh.
#include <assert.h>

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) sum++;
    assert(sum == 100);
    return 0;
}
