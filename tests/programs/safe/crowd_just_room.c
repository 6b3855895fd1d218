// sleave: --threads 3
/* As many threads as are allowed: nobody stands still. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *add(void *arg)
{
    count++;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, add, NULL);
    pthread_create(&u, NULL, add, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(count == 2);
    return 0;
}
