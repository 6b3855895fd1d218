// sleave: --property race
// A timed wait reads the time that it is given.
#include <pthread.h>
#include <time.h>

static struct timespec until;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *changes(void *arg)
{
    until.tv_sec = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, changes, NULL);
    if (pthread_mutex_timedlock(&m, &until) == 0) //~ BUG(race)
        pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
