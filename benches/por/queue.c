/* A bounded queue in a circular array; each of its functions takes the lock for itself. One thread tries N times to
   enqueue the next number, the other N times to dequeue one: they come out in the order in which they went in. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

#define CAPACITY 2

static int elements[CAPACITY];
static int head, length;
static pthread_mutex_t lock;

static int is_full(void)
{
    pthread_mutex_lock(&lock);
    int full = length == CAPACITY;
    pthread_mutex_unlock(&lock);
    return full;
}

static int is_empty(void)
{
    pthread_mutex_lock(&lock);
    int empty = length == 0;
    pthread_mutex_unlock(&lock);
    return empty;
}

static void enqueue(int element)
{
    pthread_mutex_lock(&lock);
    assert(length < CAPACITY);
    elements[(head + length) % CAPACITY] = element;
    length++;
    pthread_mutex_unlock(&lock);
}

static int dequeue(void)
{
    pthread_mutex_lock(&lock);
    assert(length > 0);
    int element = elements[head];
    head = (head + 1) % CAPACITY;
    length--;
    pthread_mutex_unlock(&lock);
    return element;
}

/* Only this thread fills the queue, so it is not full when enqueue comes. */
static void *enqueuer(void *arg)
{
    int next = 1;
    for (int k = 0; k < N; k++)
        if (!is_full())
            enqueue(next++);
    return arg;
}

static void *dequeuer(void *arg)
{
    int expected = 1;
    for (int k = 0; k < N; k++) {
        if (!is_empty()) {
            int element = dequeue();
            assert(element == expected);
            expected++;
        }
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&first, NULL, enqueuer, NULL);
    pthread_create(&second, NULL, dequeuer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
