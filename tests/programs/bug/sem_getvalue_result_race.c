// sem_getvalue writes its result like any store: another thread may overwrite it.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int v = 7;
static void *r(void *a)
{
    sem_getvalue(&s, &v);
    return 0;
}
static void *w(void *a)
{
    v = 5;
    return 0;
}
int main()
{
    pthread_t t, u;
    sem_init(&s, 0, 3);
    pthread_create(&t, 0, r, 0);
    pthread_create(&u, 0, w, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(v == 5); //~ BUG(assertion)
}
