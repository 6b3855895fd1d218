// The withdrawal is an input: only some amounts, in some schedules, overdraw the account.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int balance = 10, amount;

static void *withdraw(void *arg)
{
    if (balance >= amount) {
        int rest = balance - amount;
        balance = rest;
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    amount = __VERIFIER_nondet_int();
    __VERIFIER_assume(amount > 5);
    __VERIFIER_assume(amount < 20);
    pthread_create(&t, NULL, withdraw, NULL);
    withdraw(NULL);
    pthread_join(t, NULL);
    assert(balance >= 0); //~ BUG(assertion)
    return 0;
}
