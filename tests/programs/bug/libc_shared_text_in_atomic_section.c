// The same without a turn in between: the whole text is read in one atomic section.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
extern char __VERIFIER_nondet_char(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static char text[3], copy[8];

static void *writer(void *arg)
{
    char a = __VERIFIER_nondet_char(), b = __VERIFIER_nondet_char();
    __VERIFIER_atomic_begin();
    text[0] = a;
    text[1] = b;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    __VERIFIER_atomic_begin();
    int length = snprintf(copy, sizeof copy, "%s", text);
    __VERIFIER_atomic_end();
    assert(length != 1); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
