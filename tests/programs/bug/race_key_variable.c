// sleave: --property race
// The variable that takes the new key is written like any other.
#include <pthread.h>

static pthread_key_t key;

static void *worker(void *arg)
{
    pthread_setspecific(key, &key);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_key_create(&key, NULL); //~ BUG(race)
    pthread_join(t, NULL);
    return 0;
}
