/* A sender and a receiver have turns at a circular buffer, under a lock; each looks N times (-DN=5, 6) whether it is its
   turn. The receiver takes its attempts for the number of the message and fails once it has looked in vain.
   P1, Table 2, circularbufbad 1 and 2; the algorithm is that of SCTBench's circular_buffer_bad. The input is the first
   message; the others count up from it. As everything is under the lock, DPOR leaves out nothing, in the paper as well. How
   often the paper's threads look is not known; these sizes come close to its counts. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef N
#define N 5
#endif

#define SLOTS 10

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned buffer[SLOTS];
static int begin, end;
static bool may_send = true, may_receive;
static unsigned first;

static void *sender(void *arg)
{
    for (unsigned k = 0; k < N; k++) {
        pthread_mutex_lock(&lock);
        if (may_send) {
            buffer[end] = first + k;
            end = (end + 1) % SLOTS;
            may_send = false;
            may_receive = true;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *receiver(void *arg)
{
    for (unsigned k = 0; k < N; k++) {
        pthread_mutex_lock(&lock);
        if (may_receive) {
            unsigned message = buffer[begin];
            begin = (begin + 1) % SLOTS;
            assert(message == first + k);
            may_receive = false;
            may_send = true;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    first = __VERIFIER_nondet_uint();
    pthread_create(&t, NULL, sender, NULL);
    pthread_create(&u, NULL, receiver, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
