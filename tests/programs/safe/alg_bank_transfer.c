// Transfers lock both accounts in the order of their numbers: no money is lost and nobody waits for ever.
#include <assert.h>
#include <pthread.h>

static struct { pthread_mutex_t lock; int balance; } account[2] = {
    {PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(int from, int to, int amount)
{
    int low = from < to ? from : to, high = from < to ? to : from;
    pthread_mutex_lock(&account[low].lock);
    pthread_mutex_lock(&account[high].lock);
    account[from].balance -= amount;
    account[to].balance += amount;
    pthread_mutex_unlock(&account[high].lock);
    pthread_mutex_unlock(&account[low].lock);
}

static void *forth(void *arg)
{
    transfer(0, 1, 30);
    return NULL;
}

static void *back(void *arg)
{
    transfer(1, 0, 50);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, forth, NULL);
    pthread_create(&u, NULL, back, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(account[0].balance == 120 && account[1].balance == 80);
    return 0;
}
