// A spinlock is copied while it is held.
#include <pthread.h>

static struct {
    pthread_spinlock_t lock;
    int number;
} one;

static void *count(void *arg)
{
    pthread_spin_lock(&one.lock);
    one.number++;
    pthread_spin_unlock(&one.lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&one.lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, count, NULL);
    pthread_spinlock_t copy = one.lock;
    pthread_spin_lock(&copy); //~ BUG(deadlock)
    pthread_join(thread, NULL);
    return 0;
}
