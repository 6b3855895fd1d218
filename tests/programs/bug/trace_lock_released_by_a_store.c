// A spin lock is given back by a store to it, by a thread that then leaves the process.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_spinlock_t lock;
static int number;

static void *change(void *arg)
{
    pthread_spin_lock(&lock);
    number = 1;
    *(volatile int *)&lock = 0;
    exit(0);
    return arg;
}

static void *look(void *arg)
{
    pthread_spin_lock(&lock);
    assert(number != 1); //~ BUG(assertion)
    exit(0);
    return arg;
}

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_t first, second;
    pthread_create(&first, NULL, look, NULL);
    pthread_create(&second, NULL, change, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
