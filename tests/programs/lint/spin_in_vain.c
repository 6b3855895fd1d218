// Each sets the flag that the other waits for to fall, and none lets it fall before.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *one(void *arg)
{
    atomic_store(&first, 1);
    while (atomic_load(&second) == 1) //~ WARN(endless wait)
        ;
    atomic_store(&first, 0);
    return arg;
}

static void *other(void *arg)
{
    atomic_store(&second, 1);
    while (atomic_load(&first) == 1) //~ WARN(endless wait)
        ;
    atomic_store(&second, 0);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
