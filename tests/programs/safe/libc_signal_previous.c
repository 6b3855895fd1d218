// What was installed or blocked before is given back, by process and by thread.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

static void first(int number) { (void)number; }
static void second(int number) { (void)number; }

static void *block_another(void *unused)
{
    (void)unused;
    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    assert(sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGINT) == 0);
    return NULL;
}

int main(void)
{
    assert(signal(SIGUSR1, first) == SIG_DFL);
    struct sigaction action = {.sa_handler = second}, before;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    assert(sigaction(SIGUSR1, &action, &before) == 0 && before.sa_handler == first);
    assert(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == second);
    assert(sigismember(&before.sa_mask, SIGINT) == 1 && sigismember(&before.sa_mask, SIGHUP) == 0);

    errno = 0;
    assert(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
    assert(signal(SIGSTOP, first) == SIG_ERR && signal(9999, first) == SIG_ERR);

    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && pthread_sigmask(77, &set, NULL) == EINVAL);
    pthread_t thread;
    pthread_create(&thread, NULL, block_another, NULL);
    pthread_join(thread, NULL);
    sigprocmask(SIG_BLOCK, NULL, &now);
    assert(sigismember(&now, SIGINT) == 1 && sigismember(&now, SIGTERM) == 0);
    return 0;
}
