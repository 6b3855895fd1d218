// sleave: --property race
// A local variable whose address was handed out.
#include <pthread.h>

void *worker(void *arg)
{
    *(int *)arg = 1;
    return NULL;
}

static int run(pthread_t *thread)
{
    int result = 0;
    pthread_create(thread, NULL, worker, &result);
    return result; //~ BUG(race)
}

int main(void)
{
    pthread_t thread;
    int result = run(&thread);
    pthread_join(thread, NULL);
    return result;
}
