// sleave: --property race
// A later call joins fewer threads than the one before has started.
#include <pthread.h>

pthread_t t[2];
int x;

void *nothing(void *arg)
{
    return 0;
}

void *worker(void *arg) { return __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST), arg; } void put(void) { x = 2; } //~ BUG(race)

void next(int n)
{
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
    put();
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], 0, worker, 0);
}

int main(void)
{
    pthread_create(&t[0], 0, nothing, 0);
    pthread_create(&t[1], 0, nothing, 0);
    for (int n = 2; n > 0; n--)
        next(n);
    return 0;
}
