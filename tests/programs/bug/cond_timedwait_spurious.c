// Nobody signals, but the wait may end without a signal before its time is up: it returns no error then.
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x;

void *waiter(void *arg) {
    struct timespec soon = {0};
    pthread_mutex_lock(&m);
    assert(pthread_cond_timedwait(&c, &m, &soon)); //~ BUG(assertion)
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t w;
    pthread_create(&w, 0, waiter, 0);
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    pthread_join(w, 0);
}
