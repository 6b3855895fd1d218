// Each waits at the barrier with the mutex that the other needs to come there.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;

void *meet(void *arg) {
    pthread_mutex_lock(&m); //~ BUG(deadlock)
    pthread_barrier_wait(&both);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&s, 0, meet, 0);
    pthread_create(&t, 0, meet, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
