// What `main` returns reaches handlers of `on_exit`, also if it depends on an input.
#define _DEFAULT_SOURCE
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

void check(int status, void *unused) {
    assert(status != 9); //~ BUG(assertion)
}

int main(void) {
    on_exit(check, 0);
    if (__VERIFIER_nondet_int() == 31337)
        return 9;
    return 0;
}
