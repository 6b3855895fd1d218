// Threads have different numbers, but others may lie between them.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pid_t numbers[2];

static void *look(void *number)
{
    *(pid_t *)number = gettid();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(gettid() == getpid() && numbers[0] != getpid() && numbers[0] != numbers[1]);
    assert(numbers[1] - numbers[0] == 1); //~ BUG(assertion)
    return 0;
}
