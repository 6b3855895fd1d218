// Unlocking a read-write lock that only another thread holds for reading.
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *w(void *a)
{
    pthread_rwlock_unlock(&l); //~ BUG(lock misuse)
    return 0;
}
int main()
{
    pthread_t t;
    pthread_rwlock_rdlock(&l);
    pthread_create(&t, 0, w, 0);
    pthread_join(t, 0);
}
