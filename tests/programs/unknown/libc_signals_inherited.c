// A thread blocks what the one blocked that made it; that is not modelled.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void *look(void *unused)
{
    (void)unused;
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now); //~ UNKNOWN(unmodelled function: signals that a thread blocks because the one that made it did)
    assert(sigismember(&now, SIGINT) == 1);
    return NULL;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    return 0;
}
