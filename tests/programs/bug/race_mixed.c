// sleave: --property race
// One access is atomic, the other is not.
#include <pthread.h>

int flag;

void *worker(void *arg)
{
    (void)arg;
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    int seen = flag; //~ BUG(race)
    pthread_join(thread, NULL);
    return seen;
}
