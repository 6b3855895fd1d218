// Variable-length arrays and alloca; the storage of a VLA ends with its block.
#include <alloca.h>
#include <assert.h>

static int sum_to(int n)
{
    int numbers[n], sum = 0;
    for (int i = 0; i < n; i++) numbers[i] = i + 1;
    for (int i = 0; i < n; i++) sum += numbers[i];
    return sum;
}

int main(void)
{
    for (int round = 1; round < 4; round++) {
        int grid[round][2];
        grid[round - 1][1] = round;
        assert(grid[round - 1][1] == round);
        assert(sizeof grid == round * 2 * sizeof(int));
    }
    assert(sum_to(4) == 10);
    char *bytes = alloca(5);
    bytes[4] = 'z';
    assert(bytes[4] == 'z');
    return 0;
}
