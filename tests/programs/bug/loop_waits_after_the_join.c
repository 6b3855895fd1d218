// sleave: --por optimal
// Main waits for what the other thread should have written, when that has ended.
#include <pthread.h>

static volatile int ready, unrelated;

static void *works(void *arg)
{
    unrelated = 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, works, NULL);
    pthread_create(&b, NULL, works, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_create(&b, NULL, works, NULL);
    while (!ready) //~ BUG(deadlock)
        ;
    pthread_join(b, NULL);
    return 0;
}
