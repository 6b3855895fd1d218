// The balance is checked in one critical section and changed in another.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *arg)
{
    int amount = (int)(long)arg;
    pthread_mutex_lock(&m);
    int enough = balance >= amount;
    pthread_mutex_unlock(&m);
    if (enough) {
        pthread_mutex_lock(&m);
        balance -= amount;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, withdraw, (void *)60);
    pthread_create(&u, NULL, withdraw, (void *)70);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(balance >= 0); //~ BUG(assertion)
    return 0;
}
