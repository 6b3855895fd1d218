/* One thread reads a variable twice, another writes it: the write is before, between or after the reads. What both tell a log
   multiplies the orders, and no assertion looks at it.
   P4, Table 2, ReadReadWrite, of which the paper gives the name, the size and the counts: this one has the counts. */
#include <assert.h>
#include <pthread.h>

static int value, log_entry;

static void *reader(void *arg)
{
    int first = value;
    int seen = log_entry;
    int second = value;
    assert(second >= first);
    (void)seen;
    return arg;
}

static void *writer(void *arg)
{
    value = 1;
    log_entry = 1;
    log_entry = 2;
    return arg;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
