// sleave: --property race
// Memory is freed while another thread may still be reading it.
#include <pthread.h>
#include <stdlib.h>

void *reader(void *arg)
{
    int *number = arg;
    return (void *)(long)*number;
}

int main(void)
{
    int *number = malloc(sizeof *number);
    *number = 1;
    pthread_t thread;
    pthread_create(&thread, NULL, reader, number);
    free(number); //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
