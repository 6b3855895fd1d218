// sleave: --threads 2
/* No run comes to an end: main stands still, and the other thread is stopped by its assumption. That is no proof of anything. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int condition);

static int made;

static void *look(void *arg)
{
    __VERIFIER_assume(made == 2);
    assert(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (;;) {
        pthread_create(&t, NULL, look, NULL); //~ UNKNOWN(too many threads)
        made++;
    }
}
