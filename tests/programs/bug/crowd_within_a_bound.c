// sleave: --threads 3
/* As many threads as there are inputs. Whoever would make the third other thread stands still, and the first two still find out what is
   wrong. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int count;

static void *add(void *arg)
{
    count++;
    assert(count != 2); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    for (int k = 0; k < n; k++) {
        pthread_t t;
        pthread_create(&t, NULL, add, NULL);
    }
    return 0;
}
