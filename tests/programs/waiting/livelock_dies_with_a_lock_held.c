// expect: bug (deadlock)
// A thread that finds something wrong stops for good, and keeps what it has locked.
#include <pthread.h>
#include <unistd.h>

static int ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void die(void)
{
    for (;;)
        sleep(1);
}

static void *use(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (!ready)
        die();
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    ready = 1;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
