// runs: 4
// A loop of three writes against one read: C(4,1).
#include <pthread.h>

static int x;

static void *writer(void *arg)
{
    for (int i = 0; i < 3; i++)
        x = i;
    return NULL;
}

static void *reader(void *arg)
{
    int seen = x;
    (void)seen;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
