// sleave: --property race
/* Both threads take the lock, but not around `b`. A lock edge between the two sections would order the writes in one run. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void set(int value)
{
    b = value; //~ BUG(race)
}

static void *before(void *arg)
{
    set(1);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *after(void *arg)
{
    pthread_mutex_lock(&lock);
    a = 1;
    pthread_mutex_unlock(&lock);
    set(2);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, before, NULL);
    pthread_create(&u, NULL, after, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
