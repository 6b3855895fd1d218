// Under a lock, threads write who they are one behind the other; main walks along what they wrote, so that every order leads it elsewhere.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written, log[THREADS * ROUNDS];
static char cells[1 << 16];

static void *worker(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        log[written++] = (int)(long)arg;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned at = 0;

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * ROUNDS; i++) {
        at = THREADS * at + log[i];
        assert(!cells[at % sizeof cells]);
    }
}
