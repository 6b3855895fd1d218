// sleave: --por optimal --engine explore
// Sums of an input are simplified differently by a machine that comes to them on another way: a comparison that is a question
// here may be none there.
#include <assert.h>
#include <pthread.h>

#define ROUNDS 7
#define TOP 500

extern unsigned char __VERIFIER_nondet_uchar(void);

int a = 1, b = 1;

void *add_to_a(void *arg) {
    for (int i = 0; i < ROUNDS; i++)
        a += b;
    return 0;
}

void *add_to_b(void *arg) {
    for (int i = 0; i < ROUNDS; i++)
        b += a;
    return 0;
}

int main(void) {
    pthread_t s, t;
    unsigned char in = __VERIFIER_nondet_uchar();
    a = in & 1;
    pthread_create(&s, 0, add_to_a, 0);
    pthread_create(&t, 0, add_to_b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a < TOP && b < TOP); //~ BUG(assertion)
}
