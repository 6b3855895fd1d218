// This bug needs the right schedule and the right input at once.
// Sleave reports both: how the threads were interleaved, and which amount was withdrawn.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);     // any int: Sleave tries them all
extern void __VERIFIER_assume(int condition); // leave out the inputs that make it false

int balance = 1000;
int amount;

void *withdraw(void *unused)
{
    if (balance >= amount) {   // enough money? ...
        int rest = balance - amount;
        balance = rest;        // ... the other thread may have been here meanwhile
    }
    return NULL;
}

int main(void)
{
    pthread_t other;

    amount = __VERIFIER_nondet_int();
    __VERIFIER_assume(amount > 0);

    pthread_create(&other, NULL, withdraw, NULL);
    withdraw(NULL);
    pthread_join(other, NULL);

    assert(balance >= 0);
    return 0;
}
