// sleave: --property race
// Two bit-fields of one byte are one memory location.
#include <pthread.h>

struct { unsigned a : 3, b : 3; } flags;

void *worker(void *arg)
{
    (void)arg;
    flags.a = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    flags.b = 1; //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
