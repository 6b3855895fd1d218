// The caller takes the result for its opposite, and does not join.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_t thread;
static int number;

static void *worker(void *arg)
{
    number++; //~ WARN(race)
    return arg;
}

static int start(void)
{
    if (__VERIFIER_nondet_int())
        return -1;
    pthread_create(&thread, NULL, worker, NULL);
    return 0;
}

int main(void)
{
    int started = start();
    if (started != 0)
        pthread_join(thread, NULL);
    number = 7; //~ WARN(race)
    return number; //~ WARN(race)
}
