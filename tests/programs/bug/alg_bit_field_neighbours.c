// Two bit-fields share a byte: writing one rewrites the other.
#include <assert.h>
#include <pthread.h>

static struct { unsigned char left : 4, right : 4; } pair;

static void *set_left(void *arg)
{
    pair.left = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set_left, NULL);
    pair.right = 1;
    pthread_join(t, NULL);
    assert(pair.left == 1 && pair.right == 1); //~ BUG(assertion)
    return 0;
}
