// Reading a table at a symbolic index.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    static const int square[6] = {0, 1, 4, 9, 16, 25};
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 6) {
        assert(square[i] == (int)(i * i));
        assert(square[i] <= 25);
    }
    return 0;
}
