// A round of a loop that waits takes a mutex on one way and keeps it, after a round that did something else.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int takes, takes_first, done;

static void *wait(void *arg)
{
    int is_later = 0;
    while (!done) {
        int wants = is_later ? takes : takes_first;
        is_later = 1;
        if (wants)
            pthread_mutex_lock(&lock); //~ BUG(lock misuse)
    }
    return arg;
}

static void *finish(void *arg)
{
    takes_first = done;
    takes = 1;
    takes = 0;
    done = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, wait, NULL);
    pthread_create(&second, NULL, finish, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
