/* The contents of the sections do not conflict, but one of them never ends. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *keeper(void *arg)
{
    pthread_mutex_lock(&lock);
    a++;
    return arg;
}

static void *user(void *arg)
{
    pthread_mutex_lock(&lock); //~ BUG(deadlock)
    b++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, user, NULL);
    pthread_create(&u, NULL, keeper, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
