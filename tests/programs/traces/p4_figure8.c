/* P4 Figure 8: one lock for a whole array, whose halves two threads increment: the orders of 8 + 8 critical sections. */
#include <pthread.h>

static int items[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *arg)
{
    int first = (int)(long)arg;
    for (int k = first; k < first + 8; k++) {
        pthread_mutex_lock(&lock);
        items[k]++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, (void *)0);
    pthread_create(&b, NULL, increment, (void *)8);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
