// sleave: --run 'set(p, v)' --run 'check(q)' --before '__VERIFIER_assume(is_even(q))'
// Registers that can be seen as one word or as two halves, and a twin for each. Who sets a register
// sets the halves of its twin one after the other. A check holds the lock of its own register, as
// everybody does.
// Shape: p -> {twin -> q}, where p is not q
// Schedule: the check comes between the two halves.
// expect: bug (assertion)
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

union bits {
    unsigned word;
    unsigned short half[2];
};

struct device {
    pthread_mutex_t lock;
    union bits bits;
    struct device *twin;
};

bool is_even(struct device *d)
{
    return d != NULL && d->bits.half[0] == d->bits.half[1];
}

void set(struct device *d, unsigned short value)
{
    if (d == NULL)
        return;
    pthread_mutex_lock(&d->lock);
    if (d->twin != NULL) {
        d->twin->bits.half[0] = value;
        d->twin->bits.half[1] = value;
    }
    pthread_mutex_unlock(&d->lock);
}

void check(struct device *d)
{
    pthread_mutex_lock(&d->lock);
    unsigned word = d->bits.word;
    pthread_mutex_unlock(&d->lock);
    assert((word & 0xffff) == word >> 16); //~ BUG(assertion)
}
