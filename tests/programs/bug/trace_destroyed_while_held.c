// In a section of one lock, another one is taken and destroyed, which only this section guards.
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t inner[2];
static int taken;

static void *destroy_one(void *arg)
{
    int which = !(__VERIFIER_nondet_int() & 1);
    pthread_mutex_lock(&outer);
    if (!taken) {
        taken = 1;
        pthread_spin_lock(&inner[0]);
        pthread_spin_destroy(&inner[which]); //~ BUG(lock misuse)
    }
    pthread_mutex_unlock(&outer);
    return arg;
}

static void *use(void *arg)
{
    pthread_mutex_lock(&outer);
    if (!taken) {
        for (int i = 0; i < 2; i++) {
            pthread_spin_lock(&inner[i]);
            pthread_spin_unlock(&inner[i]);
        }
    }
    pthread_mutex_unlock(&outer);
    return arg;
}

int main(void)
{
    pthread_spin_init(&inner[0], PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&inner[1], PTHREAD_PROCESS_PRIVATE);
    pthread_t first, second;
    pthread_create(&first, NULL, use, NULL);
    pthread_create(&second, NULL, destroy_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
