/* Two threads add to a number under a lock, a third looks at it. The number that they begin with is an input, and so the
   assertion may fail wherever the third thread comes.
   P1, Table 2, lazy01false; the algorithm is that of SV-COMP's lazy01. A failure ends the run: three runs if the third thread
   is first, four if it is second, four if it is last; 11 in all, as in the paper. All three sections take one lock, and DPOR
   has to follow all of their orders; how the paper has 3 runs there is not known. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *add_one(void *arg)
{
    pthread_mutex_lock(&lock);
    data = (int)(data + 1u);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *add_two(void *arg)
{
    pthread_mutex_lock(&lock);
    data = (int)(data + 2u);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(data < 3);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    data = __VERIFIER_nondet_int();
    pthread_create(&threads[0], NULL, add_one, NULL);
    pthread_create(&threads[1], NULL, add_two, NULL);
    pthread_create(&threads[2], NULL, look, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
