// sleave: --property race
// pthread_mutex_init reads the kind while another thread changes it.
#include <pthread.h>

static pthread_mutexattr_t attr;
static pthread_mutex_t m;

static void *changes(void *arg)
{
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_create(&t, NULL, changes, NULL);
    pthread_mutex_init(&m, &attr); //~ BUG(race)
    pthread_join(t, NULL);
    return 0;
}
