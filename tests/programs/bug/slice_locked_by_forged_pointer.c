// Two mutexes are locked in both orders, in one thread by forged pointers, with nothing that matters in between.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

/* The same address, of which a static analysis sees nothing: it goes from bit to bit by the way that is taken. */
static void *launder(void *pointer)
{
    uintptr_t from = (uintptr_t)pointer, to = 0;
    for (int i = 0; i < 64; i++)
        if (from >> i & 1)
            to |= (uintptr_t)1 << i;
    return (void *)to;
}

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ BUG(deadlock)
    number++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *other(void *arg)
{
    pthread_mutex_t *first = launder(&b), *second = launder(&a);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    number++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
