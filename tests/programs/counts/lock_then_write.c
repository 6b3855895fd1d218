// runs: 12
// traces: 4
// A critical section (lock, read, write, unlock), then a write outside it. Say T1 has the lock first: until its
// unlock T2 is blocked; then T1's last write falls anywhere among T2's five operations: 6 places.
// The same with T2 first: 12.
// Traces: the order of the sections, and that of the last writes.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, z;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    z = 1;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
