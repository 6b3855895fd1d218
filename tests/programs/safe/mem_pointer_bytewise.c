// A pointer copied byte by byte is still the same pointer.
#include <assert.h>
#include <string.h>

int main(void)
{
    int target = 77;
    int *p = &target, *q;
    unsigned char bytes[sizeof p];
    for (unsigned i = 0; i < sizeof p; i++) bytes[i] = ((unsigned char *)&p)[i];
    for (unsigned i = 0; i < sizeof q; i++) ((unsigned char *)&q)[i] = bytes[i];
    assert(q == p && *q == 77);
    int **box[2], *r;
    memcpy(&box[1], &(int **){&p}, sizeof box[1]);
    memmove(&r, box[1], sizeof r);
    *r = 78;
    assert(target == 78);
    return 0;
}
