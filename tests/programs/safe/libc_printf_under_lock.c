// Threads that print and format a shared text under a lock do not disturb each other.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[24] = "x";

static void *worker(void *arg)
{
    char next[24];
    pthread_mutex_lock(&lock);
    snprintf(next, sizeof next, "%s-%d", text, 1000000);
    sprintf(text, "%s", next);
    printf("%s\n", text);
    puts(text);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(strcmp(text, "x-1000000-1000000") == 0);
    return 0;
}
