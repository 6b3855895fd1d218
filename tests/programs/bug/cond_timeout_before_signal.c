// The time is up before the signal, but the mutex is taken only after the signaller has given it back.
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waits, signalled;

void *signaller(void *arg) {
    pthread_mutex_lock(&m);
    if (waits) {
        pthread_cond_signal(&c);
        signalled = 1;
    }
    pthread_mutex_unlock(&m);
    return 0;
}

void *waiter(void *arg) {
    struct timespec soon = {0};
    pthread_mutex_lock(&m);
    waits = 1;
    int error = pthread_cond_timedwait(&c, &m, &soon);
    assert(!error || !signalled); //~ BUG(assertion)
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t s, w;
    pthread_create(&s, 0, signaller, 0);
    pthread_create(&w, 0, waiter, 0);
    pthread_join(s, 0);
    pthread_join(w, 0);
}
