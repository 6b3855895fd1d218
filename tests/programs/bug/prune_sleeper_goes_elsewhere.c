// Where the second thread and main access the array depends on what they have read. Where they access different elements, it does not matter who is
// first, and one order stands for both. A summary of that must not be used where they access the same.
#include <assert.h>
#include <pthread.h>

static int number = 2;
static int array[2];

static void *invert(void *arg)
{
    __atomic_fetch_xor(&number, -1, __ATOMIC_SEQ_CST);
    return arg;
}

static void *store(void *arg)
{
    int seen = number;
    array[seen & 1] = seen;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, invert, NULL);
    pthread_create(&u, NULL, store, NULL);
    int seen = number;
    int element = array[seen & 1];
    assert(element != -3); //~ BUG(assertion)
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
