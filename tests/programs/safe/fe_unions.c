// Type punning through unions.
#include <assert.h>
#include <stdint.h>

union word {
    uint32_t whole;
    uint16_t half[2];
    uint8_t byte[4];
    float real;
};

int main(void)
{
    union word w;
    w.whole = 0x11223344;
    assert(w.byte[0] == 0x44 && w.byte[3] == 0x11);
    w.byte[1] = 0xff;
    assert(w.whole == 0x1122ff44);
    w.half[1] = 0;
    assert(w.whole == 0xff44);
    w.real = 1.0f;
    assert(w.whole == 0x3f800000);
    return 0;
}
