/* A bank account under one lock: a deposit, a withdrawal and an audit. The audit has the sum wrong and fails if it comes last.
   P4, Table 2, AccountBad; the algorithm is that of SV-COMP's and SCTBench's account_bad. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static const int opening = 1, paid_in = 2, taken_out = 4;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static bool deposited, withdrawn;

static void *deposit(void *arg)
{
    pthread_mutex_lock(&lock);
    balance = balance + paid_in;
    deposited = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *withdraw(void *arg)
{
    pthread_mutex_lock(&lock);
    balance = balance - taken_out;
    withdrawn = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *audit(void *arg)
{
    pthread_mutex_lock(&lock);
    if (deposited && withdrawn)
        assert(balance == opening - paid_in - taken_out);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    balance = opening;
    pthread_create(&threads[0], NULL, audit, NULL);
    pthread_create(&threads[1], NULL, deposit, NULL);
    pthread_create(&threads[2], NULL, withdraw, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
