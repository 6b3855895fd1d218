// One unlock too many, after sixteen read locks of the same thread.
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    for (int i = 0; i < 16; i++)
        pthread_rwlock_rdlock(&l);
    for (int i = 0; i < 17; i++)
        pthread_rwlock_unlock(&l); //~ BUG(lock misuse)
    return 0;
}
