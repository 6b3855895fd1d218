/* Two threads read a variable, a third writes an input to it. All of them leave a note of what they have done, at which no
   assertion looks. What is read is what was there or the input: safe.
   P1, Table 2, readreadwrite, of which the paper gives the name, the size, the threads and the counts. With pruning three
   runs are left: the write comes after the reads, between them, and before them, where the orders of the reads meet. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int value, input, note;

static void *reader(void *arg)
{
    int seen = value;
    note = 1;
    assert((seen == 0) | (seen == input));
    return arg;
}

static void *writer(void *arg)
{
    value = input;
    note = 2;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    input = __VERIFIER_nondet_int();
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
