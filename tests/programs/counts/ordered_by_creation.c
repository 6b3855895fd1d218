// runs: 1
// Each thread writes before it creates the next and not after: pthread_create orders all accesses.
#include <assert.h>
#include <pthread.h>

static int x;
static pthread_t child;

static void *grandchild(void *arg)
{
    x++;
    return NULL;
}

static void *parent(void *arg)
{
    x++;
    pthread_create(&child, NULL, grandchild, NULL);
    pthread_join(child, NULL);
    return NULL;
}

int main(void)
{
    pthread_t t;
    x = 1;
    pthread_create(&t, NULL, parent, NULL);
    pthread_join(t, NULL);
    assert(x == 3);
    return 0;
}
