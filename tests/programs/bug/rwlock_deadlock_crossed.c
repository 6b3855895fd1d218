// Each thread reads under one lock and wants to write under the other: they wait for each other.
#include <pthread.h>

static pthread_rwlock_t first = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t second = PTHREAD_RWLOCK_INITIALIZER;

static void *one(void *arg)
{
    pthread_rwlock_rdlock(&first);
    pthread_rwlock_wrlock(&second); //~ BUG(deadlock)
    pthread_rwlock_unlock(&second);
    pthread_rwlock_unlock(&first);
    return NULL;
}

static void *two(void *arg)
{
    pthread_rwlock_rdlock(&second);
    pthread_rwlock_wrlock(&first);
    pthread_rwlock_unlock(&first);
    pthread_rwlock_unlock(&second);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
