// runs: 2
// traces: 2
// P1 Figure 3 with 1 segment: 1 read against 1 write, C(2,1) interleavings.
// Traces: each read comes before or after the write of the same variable.
#include <pthread.h>

static int x;

static void *reader(void *arg)
{
    int a = x;
    return NULL;
}

static void *writer(void *arg)
{
    x = 10;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, reader, NULL);
    pthread_create(&t2, NULL, writer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
