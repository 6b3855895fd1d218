// sleave: --property race
// pthread_create reads the attributes while another thread changes them.
#include <pthread.h>

static pthread_attr_t attr;

static void *nothing(void *arg)
{
    return NULL;
}

static void *changes(void *arg)
{
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_attr_init(&attr);
    pthread_create(&u, NULL, changes, NULL);
    pthread_create(&t, &attr, nothing, NULL); //~ BUG(race)
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
