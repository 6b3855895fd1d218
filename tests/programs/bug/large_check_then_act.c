// sleave: --preemptions 1
// Far too many schedules to try all; the bug needs one preemption, in the only place where the lock was forgotten.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int seats = 9;

static void *clerk(void *arg)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&lock);
        if (seats > 0) seats--;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *manager(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        seats++;
        pthread_mutex_unlock(&lock);
    }
    if (seats > 0) seats--;
    assert(seats >= 0); //~ BUG(assertion)
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, clerk, 0);
    pthread_create(&b, 0, clerk, 0);
    pthread_create(&c, 0, manager, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
