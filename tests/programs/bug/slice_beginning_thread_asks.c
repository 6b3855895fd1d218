// sleave: --all
// A read that does not matter is no scheduling point of the search, but one of the replay: there another thread, which has just
// begun, comes to its wait first.
#include <assert.h>
#include <pthread.h>

static int number;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *look(void *arg)
{
    int seen = number;
    seen = number;
    assert(seen == 0);
    return arg;
}

static void *wait(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&never, &mutex); //~ BUG(deadlock)
    __atomic_fetch_xor(&number, 0, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, wait, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
