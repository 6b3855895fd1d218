// One thread frees, the other still reads.
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *reader(void *arg)
{
    return (void *)(long)*shared; //~ BUG(memory)
}

int main(void)
{
    pthread_t t;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&t, 0, reader, 0);
    free(shared);
    pthread_join(t, 0);
    return 0;
}
