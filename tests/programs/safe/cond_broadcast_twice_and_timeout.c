// sleave: --property deadlock
// Either broadcast may come before the time is up, at any of the waiter's three visits to the mutex.
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *waker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&c);
    return 0;
}

void *waiter(void *arg) {
    struct timespec soon = {0};
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &soon);
    return 0;
}

int main(void) {
    pthread_t first, second, third;
    pthread_create(&first, 0, waker, 0);
    pthread_create(&second, 0, waiter, 0);
    pthread_create(&third, 0, waker, 0);
}
