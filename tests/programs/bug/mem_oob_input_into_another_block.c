// For some inputs the access lands in the other block, for none in its own.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    char *own = malloc(10), *other = malloc(4000);
    unsigned i = __VERIFIER_nondet_uint();
    if (i >= 200 && i < 300) {
        own[i] = 1; //~ BUG(memory)
    }
    free(other);
    free(own);
    return 0;
}
