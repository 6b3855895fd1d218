/* Two threads change two variables, each change in a critical section of the same lock.
   P4, Table 2, Stateful; the algorithm is that of SV-COMP's stateful01. There the assertion is `!(a != 16 && b != 5)`, which
   looks at `b` only if `a` is wrong, and so never: a slice that grows with what is observed, such as the paper's, does not learn
   of `b`. A static slice has to keep it (-DBOTH), and the orders of the two pairs of sections are four. */
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
#ifdef BOTH
    assert(a == 16 || b == 5);
#else
    assert(a == 16);
#endif
    return 0;
}
