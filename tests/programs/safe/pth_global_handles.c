// Thread handles in global variables, and a thread that creates and joins its own child.
#include <assert.h>
#include <pthread.h>

pthread_t parent, child;
int value;

static void *grandchild(void *arg)
{
    value = 7;
    return NULL;
}

static void *creator(void *arg)
{
    pthread_create(&child, NULL, grandchild, NULL);
    pthread_join(child, NULL);
    assert(value == 7);
    value = 8;
    return NULL;
}

int main(void)
{
    pthread_create(&parent, NULL, creator, NULL);
    pthread_join(parent, NULL);
    assert(value == 8);
    return 0;
}
