// A thread that exits the process is never joined.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *w(void *a)
{
    exit(0);
}
int main()
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    pthread_join(t, 0);
    assert(0);
}
