// Whether two accesses meet depends on an index that is chosen before.
#include <assert.h>
#include <pthread.h>

static int cells[2], where;

static void *put(void *arg)
{
    cells[where] = 1;
    return arg;
}

static void *look(void *arg)
{
    assert(cells[0] == 0); //~ BUG(assertion)
    return arg;
}

static void *choose(void *arg)
{
    where = 0;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    where = 1;
    pthread_create(&threads[0], NULL, choose, NULL);
    pthread_create(&threads[1], NULL, put, NULL);
    pthread_create(&threads[2], NULL, look, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
