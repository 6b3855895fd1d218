// One condition for two things: a signal may wake the one who waits for the other.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int apples, pears;

static void *wants_apple(void *arg)
{
    pthread_mutex_lock(&m);
    while (apples == 0)
        pthread_cond_wait(&changed, &m); //~ WARN(endless wait)
    apples--;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *wants_pear(void *arg)
{
    pthread_mutex_lock(&m);
    while (pears == 0)
        pthread_cond_wait(&changed, &m); //~ WARN(endless wait)
    pears--;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, wants_apple, NULL);
    pthread_create(&b, NULL, wants_pear, NULL);
    pthread_mutex_lock(&m);
    apples++;
    pthread_cond_signal(&changed);
    pears++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
