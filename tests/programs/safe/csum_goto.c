// What C says of jumps: the checksum is what two compilers compute.
#include <assert.h>

static unsigned checksum(void)
{
    unsigned x = 27, steps = 0, top = 27;
again:
    if (x == 1)
        goto done;
    steps++;
    if (x & 1) {
        x = 3 * x + 1;
        if (x > top)
            top = x;
        goto again;
    }
    do
        x /= 2, steps++;
    while (!(x & 1));
    if (steps < 60)
        goto again;
done:
    return steps * 65599u + top * 31u + x;
}

int main(void)
{
    assert(checksum() == 4122485u);
    return 0;
}
