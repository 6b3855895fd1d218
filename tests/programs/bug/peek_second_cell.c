/* Sections that touch several variables are in the order that any of these gives: the middle one comes after one because of `first`, and before the
   other because of `second`. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *middle(void *arg)
{
    pthread_mutex_lock(&lock);
    second = first + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *before(void *arg)
{
    pthread_mutex_lock(&lock);
    first = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, middle, NULL);
    pthread_create(&u, NULL, before, NULL);
    pthread_mutex_lock(&lock);
    int seen = second;
    pthread_mutex_unlock(&lock);
    assert(seen != 3); //~ BUG(assertion)
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
