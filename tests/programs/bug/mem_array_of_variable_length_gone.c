// The array ends with its block, while a thread still uses it.
#include <pthread.h>

static int *shared;

static void *worker(void *arg)
{
    *shared = 1; //~ BUG(memory)
    return NULL;
}

int main(void)
{
    pthread_t t;
    for (int n = 1; n < 2; n++) {
        int array[n];
        array[0] = 0;
        shared = array;
        pthread_create(&t, NULL, worker, NULL);
    }
    pthread_join(t, NULL);
    return 0;
}
