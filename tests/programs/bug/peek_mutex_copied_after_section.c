// A structure is copied with its mutex after a critical section, beside a thread that unlocks the copy.
#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static struct account one, other;

static void *copy(void *arg)
{
    pthread_mutex_lock(&other.mutex);
    pthread_mutex_unlock(&other.mutex);
    one = other;
    return arg;
}

static void *unlock(void *arg)
{
    pthread_mutex_unlock(&one.mutex); //~ BUG(lock misuse)
    return arg;
}

int main(void)
{
    pthread_t copying, unlocking;
    pthread_mutex_init(&one.mutex, NULL);
    pthread_mutex_init(&other.mutex, NULL);
    pthread_create(&copying, NULL, copy, NULL);
    pthread_create(&unlocking, NULL, unlock, NULL);
    pthread_join(copying, NULL);
    return 0;
}
