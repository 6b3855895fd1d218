// What a thread did before klee_silent_exit was there for others to see.
#include <assert.h>
#include <pthread.h>
void klee_silent_exit(int);
int x;
static void *w(void *a)
{
    x = 1;
    klee_silent_exit(0);
    return 0;
}
static void *r(void *a)
{
    assert(x == 0); //~ BUG(assertion)
    return 0;
}
int main()
{
    pthread_t t, u;
    pthread_create(&t, 0, w, 0);
    pthread_create(&u, 0, r, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
