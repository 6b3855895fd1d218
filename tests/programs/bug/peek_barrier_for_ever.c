// Nobody opens the barrier, at which a thread waits with a mutex. Others come to that mutex or not, as the other one is free.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, first = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;

void *wait(void *arg) {
    pthread_mutex_lock(&m);
    pthread_barrier_wait(&both); //~ BUG(deadlock)
    return 0;
}

void *come(void *arg) {
    if (pthread_mutex_trylock(&first) == 0) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *prevent(void *arg) {
    pthread_mutex_trylock(&first);
    return 0;
}

int main(void) {
    pthread_t s, t, u;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&s, 0, wait, 0);
    pthread_create(&t, 0, come, 0);
    pthread_create(&u, 0, prevent, 0);
    pthread_join(s, 0);
}
