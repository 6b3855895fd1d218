// main can be joined, and what it gave to pthread_exit is the result.
#include <assert.h>
#include <pthread.h>
pthread_t mt;
static void *w(void *a)
{
    void *r;
    pthread_join(mt, &r);
    assert(r != (void *)5); //~ BUG(assertion)
    return 0;
}
int main()
{
    pthread_t t;
    mt = pthread_self();
    pthread_create(&t, 0, w, 0);
    pthread_exit((void *)5);
}
