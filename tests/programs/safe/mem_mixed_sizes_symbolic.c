// A symbolic word, read bytewise and put together again.
#include <assert.h>
#include <stdint.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    uint32_t word = __VERIFIER_nondet_uint(), again;
    unsigned char *b = (unsigned char *)&word;
    again = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
    assert(again == word);
    unsigned char copy[4];
    memcpy(copy, &word, 4);
    copy[3] = 0;
    memcpy(&again, copy, 4);
    assert(again == (word & 0xffffff));
    return 0;
}
