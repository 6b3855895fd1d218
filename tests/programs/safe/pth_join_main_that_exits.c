// Nobody sees the end of main when it exits the process.
#include <assert.h>
#include <pthread.h>
pthread_t mt;
static void *w(void *a)
{
    pthread_join(mt, 0);
    assert(0);
    return 0;
}
int main()
{
    pthread_t t;
    mt = pthread_self();
    pthread_create(&t, 0, w, 0);
    return 0;
}
