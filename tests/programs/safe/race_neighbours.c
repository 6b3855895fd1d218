// sleave: --property race
// Members, elements and bytes beside each other are different memory.
#include <pthread.h>

struct { char a, b; short c; int array[2]; } shared;

void *worker(void *arg)
{
    (void)arg;
    shared.a = 1;
    shared.array[0]++;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    shared.b = 2;
    shared.c = 3;
    shared.array[1]++;
    pthread_join(thread, NULL);
    return shared.a + shared.b != 3;
}
