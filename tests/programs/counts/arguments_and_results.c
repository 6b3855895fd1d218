// runs: 1
// Arguments written before pthread_create and results read after pthread_join are ordered: one run.
#include <assert.h>
#include <pthread.h>

struct task { int input, output; };

static void *worker(void *arg)
{
    struct task *t = arg;
    t->output = t->input * 2;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    struct task tasks[2] = {{1, 0}, {2, 0}};
    pthread_create(&t1, NULL, worker, &tasks[0]);
    pthread_create(&t2, NULL, worker, &tasks[1]);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(tasks[0].output == 2 && tasks[1].output == 4);
    return 0;
}
