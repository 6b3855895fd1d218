// sleave: --random --seed 1
// Eight threads write two variables, one reads them in between. All schedules are far too many.
#include <assert.h>
#include <pthread.h>

static volatile int a, b;

static void *writer(void *arg)
{
    a = 1;
    b = -1;
    return 0;
}

static void *reader(void *arg)
{
    int seen_a = a, seen_b = b;
    assert(seen_a == 0 || seen_b == -1); //~ BUG(assertion)
    return 0;
}

int main(void)
{
    pthread_t threads[9];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, writer, 0);
    pthread_create(&threads[8], 0, reader, 0);
    for (int i = 0; i < 9; i++) pthread_join(threads[i], 0);
    return 0;
}
