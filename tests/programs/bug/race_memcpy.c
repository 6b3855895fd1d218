// sleave: --property race
// The copy overlaps what the other thread writes.
#include <pthread.h>
#include <string.h>

char buffer[16] = "0123456789abcde";

void *worker(void *arg)
{
    (void)arg;
    char copy[8];
    memcpy(copy, buffer + 4, sizeof copy);
    return (void *)(long)copy[0];
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    memset(buffer + 10, 'x', 4); //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
