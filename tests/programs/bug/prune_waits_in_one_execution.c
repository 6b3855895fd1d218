/* From where the first thread has ended, the last one writes after it has waited in one execution, and in another it does not wait: there it
   could have come before what the first has read. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);

static sem_t has_read;
static int skips, waits, written;

static void *reader(void *arg)
{
    if (skips == 7) {
        sem_post(&has_read);
    } else {
        assert(!written); //~ BUG(assertion)
        sem_post(&has_read);
    }
    return arg;
}

static void *decider(void *arg)
{
    waits = 1;
    return arg;
}

static void *writer(void *arg)
{
    if (waits)
        sem_wait(&has_read);
    written = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&has_read, 0, 0);
    skips = __VERIFIER_nondet_int();
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, decider, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
