/* An array of N + 1 zeros; thread j makes cell j one larger than cell j - 1, while thread 0 looks for a zero from the end.
   Cell 0 stays zero, so it finds one. There are (N + 3) * 2^(N - 2) cases.
   After Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction" (POPL 2014). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 10
#endif

static atomic_int cells[N + 1];

static void *search(void *arg)
{
    int k = N;
    while (atomic_load(&cells[k]) != 0)
        k--;
    assert(k >= 0);
    return arg;
}

static void *follow(void *arg)
{
    int j = (int)(intptr_t)arg;
    int before = atomic_load(&cells[j - 1]);
    atomic_store(&cells[j], before + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, search, NULL);
    for (int j = 1; j <= N; j++)
        pthread_create(&threads[j], NULL, follow, (void *)(intptr_t)j);
    for (int j = 0; j <= N; j++)
        pthread_join(threads[j], NULL);
    return 0;
}
