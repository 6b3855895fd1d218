// runs: 10
// main itself is one of the two threads: 3 writes against a read and a write, C(5,2).
#include <pthread.h>

static int x;

static void *worker(void *arg)
{
    x++;
    return NULL;
}

int main(void)
{
    pthread_t t1;
    pthread_create(&t1, NULL, worker, NULL);
    x = 5;
    x = 6;
    x = 7;
    pthread_join(t1, NULL);
    return 0;
}
