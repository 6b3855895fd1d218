// The same with _exit.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static void *w(void *a)
{
    _exit(0);
}
int main()
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    pthread_join(t, 0);
    assert(0);
}
