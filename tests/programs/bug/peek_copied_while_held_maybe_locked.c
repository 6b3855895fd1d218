// The copy of a mutex that somebody holds can never be locked; whether that is tried depends on a flag on which nothing else does.
#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int money;
};

static struct account first, second;
static int closed;

static void *copy(void *arg)
{
    second = first;
    if (!closed) {
        pthread_mutex_lock(&second.mutex); //~ BUG(deadlock)
        pthread_mutex_unlock(&second.mutex);
    }
    return arg;
}

static void *hold(void *arg)
{
    pthread_mutex_lock(&first.mutex);
    return arg;
}

int main(void)
{
    pthread_t copying, holding;
    pthread_mutex_init(&first.mutex, NULL);
    pthread_mutex_init(&second.mutex, NULL);
    pthread_create(&copying, NULL, copy, NULL);
    pthread_create(&holding, NULL, hold, NULL);
    closed = 1;
    pthread_join(copying, NULL);
    return 0;
}
