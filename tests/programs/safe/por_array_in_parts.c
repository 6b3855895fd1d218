// The array proves to be shared element by element, in critical sections of which either may come first.
#include <assert.h>
#include <pthread.h>

enum { N = 40 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int array[N];

static void *add(void *arg)
{
    pthread_mutex_lock(&m);
    for (int k = 0; k < N; k++)
        array[k] += 2 * k + 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *look(void *arg)
{
    int sum = 0;
    pthread_mutex_lock(&m);
    for (int k = 0; k < N; k++)
        sum += array[k];
    pthread_mutex_unlock(&m);
    assert(sum == 0 || sum == N * N);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, add, NULL);
    pthread_create(&u, NULL, look, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
