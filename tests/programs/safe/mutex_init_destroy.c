// A mutex made with pthread_mutex_init inside a heap object, and destroyed after use.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account { pthread_mutex_t lock; int balance; };

static void *deposit(void *arg)
{
    struct account *a = arg;
    pthread_mutex_lock(&a->lock);
    a->balance += 10;
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

int main(void)
{
    struct account *a = malloc(sizeof *a);
    pthread_t t, u;
    assert(pthread_mutex_init(&a->lock, NULL) == 0);
    a->balance = 0;
    pthread_create(&t, NULL, deposit, a);
    pthread_create(&u, NULL, deposit, a);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a->balance == 20);
    assert(pthread_mutex_destroy(&a->lock) == 0);
    free(a);
    return 0;
}
