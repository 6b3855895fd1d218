// All who ask get the same answer, in whatever order.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

char *seen;

void *ask(void *arg)
{
    seen = getenv("LANG");
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, ask, NULL);
    char *mine = getenv("LANG");
    pthread_join(t, NULL);
    assert(mine == seen);
    assert(secure_getenv("LANG") == mine);
    if (mine && mine[0] == 'C')
        assert(getenv("LANG")[0] == 'C');
    return 0;
}
