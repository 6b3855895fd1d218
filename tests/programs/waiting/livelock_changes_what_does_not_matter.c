// expect: bug (deadlock)
// The last round of the first thread puts back what the second one has changed meanwhile. Nothing depends on that, so no other
// execution says that it goes round for ever.
#include <pthread.h>

int ready, noise;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *wait(void *unused) {
    ready = 0;
    while (ready != 1)
        __atomic_exchange_n(&noise, 2, __ATOMIC_SEQ_CST);
    return unused;
}

void *disturb(void *node) {
    pthread_mutex_lock(&mutex);
    if (node)
        ++*(int *)node;
    noise = noise + 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t waiter, other;
    pthread_create(&waiter, 0, wait, 0);
    pthread_create(&other, 0, disturb, 0);
    ready = 1;
    pthread_join(waiter, 0);
    return 0;
}
