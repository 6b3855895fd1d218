// sleave: --time-limit 2
// One question to the solver takes longer than there is time.
#include <assert.h>

unsigned long __VERIFIER_nondet_ulong(void);

int main(void) //~ UNKNOWN(time limit)
{
    unsigned __int128 a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
    unsigned __int128 c = (unsigned __int128)0x8a3f5d1b2c4e6f79ul << 64 | 0x1234567890abcdeful;
    if (a > 1 && b > 1) assert(a * b != c);
}
