// A text that another thread wrote, with a length that depends on the input: reading it word by word must not mix up the answers.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
extern char __VERIFIER_nondet_char(void);

static char text[4], copy[8];
static sem_t ready;

static void *writer(void *arg)
{
    text[0] = __VERIFIER_nondet_char();
    text[1] = __VERIFIER_nondet_char();
    sem_post(&ready);
    return arg;
}

static void *reader(void *arg)
{
    sem_wait(&ready);
    int length = snprintf(copy, sizeof copy, "%s", text);
    assert(length != 1); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&ready, 0, 0);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
