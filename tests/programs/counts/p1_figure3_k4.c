// runs: 70
// traces: 16
// P1 Figure 3 with 4 segments: 4 reads against 4 writes, C(8,4) interleavings.
// Traces: each read comes before or after the write of the same variable.
#include <pthread.h>

static int x, y, z, u;
static pthread_t t1, t2;

static void *reader(void *arg)
{
    int a = x;
    int b = y;
    int c = z;
    int d = u;
    return NULL;
}

static void *writer(void *arg)
{
    x = 10;
    y = 10;
    z = 10;
    u = 10;
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
