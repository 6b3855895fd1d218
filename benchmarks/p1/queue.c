/* One thread puts N elements into a queue and the other takes them out, in turns, under a lock; each looks N times whether it
   is its turn. The second takes its attempts for the number of the element, and so it notes something wrong once it has looked
   in vain. What is noted is looked at in the end.
   P1, Table 2, queuefalse; the algorithm is that of SV-COMP's queue. The paper's 252 = 10!/(5! 5!) are the orders of 5
   critical sections in each thread, with and without DPOR, which has to follow all orders of sections of one lock: so no
   failure ends a run before its end, and no inputs split it. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef N
#define N 5
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int elements[N];
    int head, tail;
} queue;
static int stored[N];
static bool may_enqueue = true, may_dequeue;
static bool is_wrong;

static void enqueue(int element)
{
    queue.elements[queue.tail] = element;
    queue.tail = (queue.tail + 1) % N;
}

static int dequeue(void)
{
    int element = queue.elements[queue.head];
    queue.head = (queue.head + 1) % N;
    return element;
}

static void *producer(void *arg)
{
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&lock);
        if (may_enqueue) {
            stored[k] = k + 1;
            enqueue(stored[k]);
            may_enqueue = false;
            may_dequeue = true;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&lock);
        if (may_dequeue) {
            is_wrong |= dequeue() != stored[k];
            may_dequeue = false;
            may_enqueue = true;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, producer, NULL);
    pthread_create(&u, NULL, consumer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(!is_wrong);
    return 0;
}
