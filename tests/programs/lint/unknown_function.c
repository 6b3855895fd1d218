// A function that nobody knows is given the address of a local and of a buffer: the local stays private, the buffer is shared.
#include <pthread.h>

extern long fetch(int from, char *into, long *length);

static char buffer[16];

static void *worker(void *arg)
{
    long length = 16;
    fetch(1, buffer, &length); //~ WARN(race)
    length++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
