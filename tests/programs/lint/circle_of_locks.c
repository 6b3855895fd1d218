// The next of a circle is never the same: no lock is locked twice. All hold a third one, so that there is no order to get wrong.
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[N];

static void *worker(void *arg)
{
    int i = *(int *)arg;
    pthread_mutex_lock(&all);
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_lock(&locks[(i + 1) % N]);
    pthread_mutex_unlock(&locks[(i + 1) % N]);
    pthread_mutex_unlock(&locks[i]);
    pthread_mutex_unlock(&all);
    return arg;
}

int main(void)
{
    pthread_t t[N];
    int numbers[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        pthread_create(&t[i], NULL, worker, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
