// pthread_create reads the attributes when it is called: the thread may be detached or not.
#include <pthread.h>

static pthread_attr_t attr;

static void *nothing(void *arg)
{
    return NULL;
}

static void *detaches(void *arg)
{
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_attr_init(&attr);
    pthread_create(&u, NULL, detaches, NULL);
    pthread_create(&t, &attr, nothing, NULL);
    pthread_join(t, NULL); //~ BUG(lock misuse)
    pthread_join(u, NULL);
    return 0;
}
