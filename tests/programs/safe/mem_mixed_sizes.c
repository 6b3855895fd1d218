// Memory written in one size and read in others.
#include <assert.h>
#include <stdint.h>
#include <string.h>

int main(void)
{
    unsigned char bytes[16] __attribute__((aligned(8)));
    for (int i = 0; i < 16; i++) bytes[i] = (unsigned char)i;
    uint16_t h;
    memcpy(&h, bytes + 3, 2);
    assert(h == 0x0403);
    assert(*(uint64_t *)bytes == 0x0706050403020100ULL);
    *(uint32_t *)(bytes + 4) = 0xdeadbeef;
    assert(bytes[5] == 0xbe && bytes[8] == 8);
    assert(*(uint64_t *)bytes == 0xdeadbeef03020100ULL);
    return 0;
}
