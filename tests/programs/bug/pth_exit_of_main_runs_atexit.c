// After pthread_exit in main the process exits, with its handlers, when the last thread has ended.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int done;
void h(void)
{
    assert(!done); //~ BUG(assertion)
}
static void *w(void *a)
{
    done = 1;
    return 0;
}
int main()
{
    pthread_t t;
    atexit(h);
    pthread_create(&t, 0, w, 0);
    pthread_exit(0);
}
