// A normal mutex is locked again by the thread that holds it.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void helper(void)
{
    pthread_mutex_lock(&m); //~ BUG(lock misuse)
    pthread_mutex_unlock(&m);
}

int main(void)
{
    pthread_mutex_lock(&m);
    helper();
    pthread_mutex_unlock(&m);
    return 0;
}
