// A pointer that was never written may be any address, also that of what an assertion reads.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *change(void *arg)
{
    int **place = malloc(sizeof *place);
    int *pointer = *place;
    free(place);
    if (pointer != &x)
        return arg;
    *pointer = 1;
    *pointer = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int seen = x;
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
