/* A bounded stack in an array, protected by a lock: one thread pushes N elements, the other tries N times to pop one. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 8
#endif

static int elements[N];
static int top;
static pthread_mutex_t lock;

static void *pusher(void *arg)
{
    for (int k = 1; k <= N; k++) {
        pthread_mutex_lock(&lock);
        assert(top < N);
        elements[top] = k;
        top++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *popper(void *arg)
{
    for (int k = 1; k <= N; k++) {
        pthread_mutex_lock(&lock);
        if (top > 0) {
            top--;
            assert(elements[top] > top); /* at least as many were pushed as lie below it */
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&first, NULL, pusher, NULL);
    pthread_create(&second, NULL, popper, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(0 <= top && top <= N);
    return 0;
}
