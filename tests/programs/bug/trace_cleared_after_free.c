// Memory is cleared that another thread frees.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *block;

static void *release(void *arg)
{
    free(block);
    return arg;
}

int main(void)
{
    block = malloc(8);
    char *own = block;
    pthread_t thread;
    pthread_create(&thread, NULL, release, NULL);
    memset(own, 0, 8); //~ BUG(memory)
    pthread_join(thread, NULL);
    return 0;
}
