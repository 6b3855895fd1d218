/* A driver is used, REQUESTS times, while it is being stopped. A user counts itself in after it has looked at the flag; in
   between the stop may have taken place, and the assertion fails.
   P1, Table 2, bluetoothbad; the algorithm is the Bluetooth driver of Qadeer and Wu, "KISS: keep it simple and sequential"
   (PLDI 2004). The input is how many others use the driver. How often the paper's driver is used is not known. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef REQUESTS
#define REQUESTS 5
#endif

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int pending; /* one for the driver itself, and one for each user */
static bool stopping, drained, stopped;

static bool enter(void)
{
    if (stopping)
        return false;
    __VERIFIER_atomic_begin();
    pending++;
    __VERIFIER_atomic_end();
    return true;
}

static void leave(void)
{
    __VERIFIER_atomic_begin();
    int left = --pending;
    __VERIFIER_atomic_end();
    if (left == 0)
        drained = true;
}

static void *use(void *arg)
{
    for (int k = 0; k < REQUESTS; k++) {
        if (enter()) {
            assert(!stopped);
            leave();
        }
    }
    return arg;
}

static void *stop(void *arg)
{
    stopping = true;
    leave();
    if (drained)
        stopped = true; /* what the driver had is released here */
    return arg;
}

int main(void)
{
    pthread_t user, stopper;
    pending = 1 + __VERIFIER_nondet_bool();
    pthread_create(&user, NULL, use, NULL);
    pthread_create(&stopper, NULL, stop, NULL);
    pthread_join(user, NULL);
    pthread_join(stopper, NULL);
    return 0;
}
