/* One thread reads a variable twice, another writes it: the write is before, between or after the reads. It leaves a note, and
   so does a third thread, twice; no assertion looks at that. The variable never goes down: safe.
   P1, Table 2, readreadwrite, of which the paper gives the name, the size, the threads and the counts. The algorithm is that
   of ReadReadWrite in P4; who leaves how many notes was chosen by the paper's first two columns. */
#include <assert.h>
#include <pthread.h>

static int value, note;

static void *reader(void *arg)
{
    int first = value;
    int second = value;
    assert(second >= first);
    return arg;
}

static void *writer(void *arg)
{
    value = 1;
    note = 1;
    return arg;
}

static void *other(void *arg)
{
    note = 2;
    note = 3;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, other, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
