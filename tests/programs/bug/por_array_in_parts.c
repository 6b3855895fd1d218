// The array proves to be shared element by element. What goes wrong is in the last two: both must be looked at in any order.
#include <assert.h>
#include <pthread.h>

enum { N = 40 };
static int array[N];

static void *writer(void *arg)
{
    for (int k = 0; k < N; k++)
        array[k] = 1;
    return arg;
}

static void *reader(void *arg)
{
    for (int k = 0; k < N - 2; k++)
        if (array[k] == 0)
            return arg;
    int last_but_one = array[N - 2];
    int last = array[N - 1];
    assert(last_but_one == 1 || last == 0); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
