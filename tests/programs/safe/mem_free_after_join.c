// Freed only when the reader has been joined.
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>

static int *shared;

static void *reader(void *arg)
{
    assert(*shared == 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&t, 0, reader, 0);
    pthread_join(t, 0);
    free(shared);
    return 0;
}
