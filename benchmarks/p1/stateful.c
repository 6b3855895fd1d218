/* Two threads change two variables, each change in a critical section of the same lock. Whatever the order, the sums are the
   same: safe.
   P1, Table 2, stateful01true; the algorithm is that of SV-COMP's stateful01. There are no inputs. Two sections in each
   thread have 6 = 4!/(2! 2!) orders, as in the paper. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a = 10, b = 10;

static void *first(void *arg)
{
    pthread_mutex_lock(&lock);
    a++;
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    b++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&lock);
    a += 5;
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    b -= 6;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a == 16 || b == 5);
    return 0;
}
