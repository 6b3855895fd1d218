// A destroyed read-write lock is locked.
#include <pthread.h>
pthread_rwlock_t l;
int main()
{
    pthread_rwlock_init(&l, 0);
    pthread_rwlock_destroy(&l);
    pthread_rwlock_rdlock(&l); //~ BUG(lock misuse)
}
