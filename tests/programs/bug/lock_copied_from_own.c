// A lock is copied from one that the thread holds, while it waits for it or before: it locks what is its own already.
#include <pthread.h>
#include <string.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static struct account one, other;

static void *lock_both(void *arg)
{
    pthread_mutex_lock(&other.mutex);
    pthread_mutex_lock(&one.mutex); //~ BUG(lock misuse)
    return arg;
}

static void *copy(void *arg)
{
    memcpy(&one, &other, sizeof one);
    return arg;
}

int main(void)
{
    pthread_t locking, copying;
    pthread_mutex_init(&one.mutex, NULL);
    pthread_mutex_init(&other.mutex, NULL);
    pthread_create(&locking, NULL, lock_both, NULL);
    pthread_create(&copying, NULL, copy, NULL);
    pthread_join(locking, NULL);
    return 0;
}
