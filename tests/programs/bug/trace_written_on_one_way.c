/* Main clears the shared state on one of three ways through its critical section, and looks at it on another one. On the
   third way, where it has done neither, the state is what the other thread left there. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state, value;

static void *set(void *arg)
{
    pthread_mutex_lock(&m);
    state = 3 * value + 1;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    value = __VERIFIER_nondet_int();
    pthread_create(&t, NULL, set, NULL);
    bool clears = __VERIFIER_nondet_bool();
    int now = __VERIFIER_nondet_int();
    int seen = 0;
    pthread_mutex_lock(&m);
    if (clears) {
        if (now > 3)
            state = 0;
    } else {
        seen = state;
    }
    int last = state;
    pthread_mutex_unlock(&m);
    if (__VERIFIER_nondet_bool())
        assert(!(clears && last == 123457)); //~ BUG(assertion)
    assert(seen < 2000000000 || seen != last + 5);
    pthread_join(t, NULL);
    return 0;
}
