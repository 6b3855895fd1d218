// runs: 1
// Each thread writes its own field of one structure: no two accesses meet, one run.
#include <assert.h>
#include <pthread.h>

static struct { char left, right; } pair;

static void *first(void *arg)
{
    pair.left = 1;
    pair.left++;
    return NULL;
}

static void *second(void *arg)
{
    pair.right = 1;
    pair.right++;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(pair.left == 2 && pair.right == 2);
    return 0;
}
