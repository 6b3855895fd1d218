// Packed structures put members at odd addresses; aligned ones at round addresses.
#include <assert.h>
#include <stdint.h>

struct __attribute__((packed)) wire { uint8_t kind; uint32_t length; uint16_t sum; };
struct holder { char c; _Alignas(32) int v; };

int main(void)
{
    struct wire w[2] = {{1, 0x01020304, 5}, {2, 0x0a0b0c0d, 6}};
    assert(sizeof(struct wire) == 7);
    assert(w[1].length == 0x0a0b0c0d);
    assert(((unsigned char *)w)[8] == 0x0d);
    struct holder h;
    assert((uintptr_t)&h.v % 32 == 0);
    return 0;
}
