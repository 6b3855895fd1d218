// A mutex is used after it was destroyed.
#include <pthread.h>

int main(void)
{
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m); //~ BUG(lock misuse)
    return 0;
}
