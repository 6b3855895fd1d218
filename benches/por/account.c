/* A bank account, protected by a lock: each of N threads pays an amount in and then takes the same amount out again; in
   the end everything is as it was. There are (2N)! / 2^N orders. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 5
#endif

#define INITIAL 100

static int balance = INITIAL;
static pthread_mutex_t lock;

static void deposit(int amount)
{
    pthread_mutex_lock(&lock);
    balance += amount;
    pthread_mutex_unlock(&lock);
}

static void withdraw(int amount)
{
    pthread_mutex_lock(&lock);
    assert(balance >= amount);
    balance -= amount;
    pthread_mutex_unlock(&lock);
}

static void *customer(void *arg)
{
    int amount = (int)(intptr_t)arg;
    deposit(amount);
    withdraw(amount);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    pthread_mutex_init(&lock, NULL);
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, customer, (void *)(intptr_t)(k + 1));
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    assert(balance == INITIAL);
    return 0;
}
