// A mutex with sections that do not matter is destroyed by a forged pointer while a thread may hold it.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

/* The same address, of which a static analysis sees nothing: it goes from bit to bit by the way that is taken. */
static void *launder(void *pointer)
{
    uintptr_t from = (uintptr_t)pointer, to = 0;
    for (int i = 0; i < 64; i++)
        if (from >> i & 1)
            to |= (uintptr_t)1 << i;
    return (void *)to;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *count(void *arg)
{
    pthread_mutex_lock(&mutex);
    number++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    pthread_mutex_destroy(launder(&mutex)); //~ BUG(lock misuse)
    pthread_join(thread, NULL);
    return 0;
}
