// The writer has other things to do before, and so has not been seen to write when the reader starts to spin.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag, value;

static void *setter(void *arg)
{
    pthread_mutex_lock(&m);
    value++;
    pthread_mutex_unlock(&m);
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    pthread_mutex_lock(&m);
    value++;
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3 && !flag; i++)
        ;
    if (!flag)
        for (;;)
            if (flag)
                break;
    assert(value != 2); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
