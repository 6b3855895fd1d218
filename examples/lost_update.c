// Two threads count, and sometimes a count gets lost. Try it:
//
//     ./x check examples/lost_update.c
//
// Sleave shows the one order of steps that a thousand test runs may never meet.
#include <assert.h>
#include <pthread.h>

int counter = 0;

void *worker(void *unused)
{
    int seen = counter;  // read the counter ...
    int next = seen + 1; // ... add one, privately ...
    counter = next;      // ... and write it back: anything written in between is overwritten
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    assert(counter == 2);
    return 0;
}
