// The counter of lost_update.c, repaired: a spin lock lets one thread in at a time.
// Sleave goes through every schedule and says `safe`.
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t lock;
int counter = 0;

void *worker(void *unused)
{
    pthread_spin_lock(&lock);
    int seen = counter;
    counter = seen + 1;
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    assert(counter == 2);
    return 0;
}
