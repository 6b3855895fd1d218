// Two philosophers each take the left fork first.
#include <pthread.h>

static pthread_mutex_t fork_[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *eat(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[1 - i]); //~ BUG(deadlock)
    pthread_mutex_unlock(&fork_[1 - i]);
    pthread_mutex_unlock(&fork_[i]);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, eat, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}
