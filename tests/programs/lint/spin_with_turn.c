// Peterson's: whoever has written the turn last waits, so that only one of them does.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second, turn;

static void *one(void *arg)
{
    atomic_store(&first, 1);
    atomic_store(&turn, 1);
    while (atomic_load(&second) == 1 && atomic_load(&turn) == 1)
        ;
    atomic_store(&first, 0);
    return arg;
}

static void *other(void *arg)
{
    atomic_store(&second, 1);
    atomic_store(&turn, 0);
    while (atomic_load(&first) == 1 && atomic_load(&turn) == 0)
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
