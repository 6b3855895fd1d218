// sleave: --property race
// So does pthread_cond_init; and the same holds for read-write locks and barriers.
#include <pthread.h>

static pthread_condattr_t attr;
static pthread_cond_t c;

static void *changes(void *arg)
{
    pthread_condattr_init(&attr);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_condattr_init(&attr);
    pthread_create(&t, NULL, changes, NULL);
    pthread_cond_init(&c, &attr); //~ BUG(race)
    pthread_join(t, NULL);
    return 0;
}
