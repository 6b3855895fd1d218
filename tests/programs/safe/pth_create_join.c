// Arguments go in through pthread_create, results come out through pthread_join.
#include <assert.h>
#include <pthread.h>

struct task { int input; int output; };

static void *square(void *arg)
{
    struct task *t = arg;
    t->output = t->input * t->input;
    return t;
}

int main(void)
{
    pthread_t threads[2];
    struct task tasks[2] = {{3, 0}, {4, 0}};
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, square, &tasks[i]) == 0);
    for (int i = 0; i < 2; i++) {
        void *result;
        assert(pthread_join(threads[i], &result) == 0);
        assert(result == &tasks[i]);
    }
    assert(tasks[0].output + tasks[1].output == 25);
    return 0;
}
