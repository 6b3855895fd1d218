// runs: 20
// traces: 8
// P1 Figure 3 with 3 segments: 3 reads against 3 writes, C(6,3) interleavings.
// Traces: each read comes before or after the write of the same variable.
#include <pthread.h>

static int x, y, z;

static void *reader(void *arg)
{
    int a = x;
    int b = y;
    int c = z;
    return NULL;
}

static void *writer(void *arg)
{
    x = 10;
    y = 10;
    z = 10;
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
