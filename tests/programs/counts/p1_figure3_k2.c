// runs: 6
// traces: 4
// P1 Figure 3 with 2 segments: 2 reads against 2 writes, C(4,2) interleavings.
// Traces: each read comes before or after the write of the same variable.
#include <pthread.h>

static int x, y;
static pthread_t t1, t2;

static void *reader(void *arg)
{
    int a = x;
    int b = y;
    return NULL;
}

static void *writer(void *arg)
{
    x = 10;
    y = 10;
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, reader, NULL);
    pthread_create(&t2, NULL, writer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
