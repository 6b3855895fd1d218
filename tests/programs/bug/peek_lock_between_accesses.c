/* What is done under the lock does not conflict, so the sections need no order. Then they must not order what stands around
   them either: `data` is written before one section and read after the other. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data, a, b;

static void *producer(void *arg)
{
    data = 1;
    pthread_mutex_lock(&lock);
    a++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *consumer(void *arg)
{
    pthread_mutex_lock(&lock);
    b++;
    pthread_mutex_unlock(&lock);
    assert(data == 1); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, producer, NULL);
    pthread_create(&u, NULL, consumer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
