/* A bank account under one lock: a deposit, a withdrawal and an audit. The audit has the sum wrong and fails if it comes
   last, for most inputs.
   P1, Table 2, accountbad; the algorithm is that of SCTBench's account_bad. Inputs are the opening balance, what is paid in
   and what is taken out. Of the 6 orders of the critical sections, the 2 with the audit at the end have two outcomes: 8 runs,
   as in the paper. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned opening, paid_in, taken_out, balance;
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
    opening = __VERIFIER_nondet_uint();
    paid_in = __VERIFIER_nondet_uint();
    taken_out = __VERIFIER_nondet_uint();
    balance = opening;
    pthread_create(&threads[0], NULL, audit, NULL);
    pthread_create(&threads[1], NULL, deposit, NULL);
    pthread_create(&threads[2], NULL, withdraw, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
