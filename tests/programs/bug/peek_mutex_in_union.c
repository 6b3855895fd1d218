// A mutex is looked at through another member of a union: it tells whether somebody holds it.
#include <assert.h>
#include <pthread.h>

static union {
    pthread_mutex_t mutex;
    int word;
} both = {PTHREAD_MUTEX_INITIALIZER};
static int number;

static void *count(void *arg)
{
    pthread_mutex_lock(&both.mutex);
    number++;
    pthread_mutex_unlock(&both.mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    int seen = both.word;
    assert(seen == 0); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
