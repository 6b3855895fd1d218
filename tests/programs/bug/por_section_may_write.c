// An atomic section that writes or not, depending on what it finds: a reader of what it may write matters to it either way.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y;

static void *writer(void *arg)
{
    x = 1;
    return arg;
}

static void *section(void *arg)
{
    __VERIFIER_atomic_begin();
    if (x)
        y = 1;
    __VERIFIER_atomic_end();
    return arg;
}

static void *reader(void *arg)
{
    return (void *)(long)y;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, section, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(y != 0); //~ BUG(assertion)
    return 0;
}
