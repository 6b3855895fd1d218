// sleave: --property race
// The first check needs a lock, or an atomic pointer.
#include <pthread.h>
#include <stdatomic.h>

struct thing { int value; } storage;
struct thing * thing;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct thing *get(void)
{
    struct thing *found = thing; //~ BUG(race)
    if (!found) {
        pthread_mutex_lock(&lock);
        found = thing;
        if (!found) {
            storage.value = 42;
            found = &storage;
            thing = found;
        }
        pthread_mutex_unlock(&lock);
    }
    return found;
}

void *worker(void *arg)
{
    (void)arg;
    return (void *)(long)get()->value;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
