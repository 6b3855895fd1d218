// sleave: --property race
// expect: bug (race)
// Rounds that wait store again what another thread has published, without publishing it: the race is
// there only if their thread goes on after a round of each loop.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int first, second, go_first, go_second, ready;

static void wait(atomic_int *go, atomic_int *flag)
{
    while (!atomic_load_explicit(go, memory_order_relaxed))
        atomic_store_explicit(flag, atomic_load_explicit(flag, memory_order_relaxed),
                              memory_order_relaxed);
}

static void *again(void *arg)
{
    wait(&go_first, &first);
    wait(&go_second, &second);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

static void *reader(void *arg)
{
    if (atomic_load_explicit(&ready, memory_order_relaxed) == 1 &&
        atomic_load_explicit(&first, memory_order_acquire) == 1 &&
        atomic_load_explicit(&second, memory_order_acquire) == 1)
        return data ? arg : 0;
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, again, 0);
    pthread_create(&t, 0, reader, 0);
    data = 1;
    atomic_store_explicit(&first, 1, memory_order_release);
    atomic_store_explicit(&go_first, 1, memory_order_relaxed);
    atomic_store_explicit(&second, 1, memory_order_release);
    atomic_store_explicit(&go_second, 1, memory_order_relaxed);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
