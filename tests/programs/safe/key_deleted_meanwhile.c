// sleave: --property race
// A thread deletes its key while another makes and deletes one: no variable of the program is involved.
#include <pthread.h>

static void *worker(void *arg)
{
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &key);
    pthread_key_delete(key);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}
