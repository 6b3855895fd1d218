// sleave: --property race
// The copy ends where the other thread's part begins.
#include <pthread.h>
#include <string.h>

char buffer[16] = "0123456789abcde";

void *worker(void *arg)
{
    (void)arg;
    char copy[8];
    memcpy(copy, buffer + 2, sizeof copy);
    return (void *)(long)copy[0];
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    memset(buffer + 10, 'x', 4);
    pthread_join(thread, NULL);
    return 0;
}
