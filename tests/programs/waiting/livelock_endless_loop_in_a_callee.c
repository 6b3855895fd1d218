// expect: bug (deadlock)
// Nothing that is checked depends on the flag; but a thread that reads it too early goes round for ever, and main waits for it.
#include <pthread.h>

static int unset = 1;

static void check(void)
{
    if (unset)
        for (;;)
            ;
}

static void *work(void *arg)
{
    check();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    unset = 0;
    pthread_join(thread, NULL);
    return 0;
}
