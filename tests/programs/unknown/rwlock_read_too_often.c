// Sleave counts up to 255 holds of one thread.
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    for (int i = 0; i < 256; i++)
        pthread_rwlock_rdlock(&l); //~ UNKNOWN(unmodelled instruction: a read lock held 256 times by one thread)
    return 0;
}
