// Widening, narrowing and sign-changing integer casts.
#include <assert.h>
#include <stdint.h>

int main(void)
{
    int8_t minus_one = -1;
    assert((uint8_t)minus_one == 255);
    assert((uint32_t)minus_one == 0xffffffffu);
    assert((uint64_t)(uint8_t)minus_one == 255);
    assert((int16_t)0x18000 == -32768);
    assert((int64_t)(int32_t)0x80000000u == -2147483648LL);
    assert((_Bool)256 == 1);
    assert((unsigned char)300 == 44);
    assert(-1 > 0u);
    assert((-7) / 2 == -3 && (-7) % 2 == -1);
    assert((-8 >> 1) == -4);
    assert((0x80000000u >> 31) == 1);
    return 0;
}
