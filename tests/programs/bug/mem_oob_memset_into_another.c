// What is filled begins in another array.
#include <string.h>

extern int __VERIFIER_nondet_int(void);

char own[32], other[4096];

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i == 512) {
        memset(own + i, 1, 8); //~ BUG(memory)
    }
    return other[0];
}
