// No call waits by a clock that is none, not even if it need not wait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t semaphore;
pthread_barrier_t barrier;

int main(void) {
    struct timespec time = {0, 0};
    sem_init(&semaphore, 0, 1);
    assert(pthread_mutex_clocklock(&mutex, 55, &time) == EINVAL);
    assert(pthread_rwlock_clockrdlock(&lock, 55, &time) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&lock, 55, &time) == EINVAL);
    assert(sem_clockwait(&semaphore, -2, &time) == -1 && errno == EINVAL);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &time) == 0);
    assert(pthread_cond_clockwait(&condition, &mutex, 55, &time) == EINVAL);
    assert(sem_clockwait(&semaphore, CLOCK_REALTIME, &time) == 0);
    // Nor is there a barrier for so many.
    assert(pthread_barrier_init(&barrier, 0, 0x7fffffff) == EINVAL);
    assert(pthread_barrier_init(&barrier, 0, 0x7ffffffe) == 0);
}
