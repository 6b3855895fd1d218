// A mutex of threads.h is copied while it is held.
#include <stddef.h>
#include <threads.h>

static struct {
    mtx_t lock;
    int number;
} one;

static int count(void *arg)
{
    mtx_lock(&one.lock);
    one.number++;
    mtx_unlock(&one.lock);
    return arg != NULL;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&one.lock, mtx_plain);
    thrd_create(&thread, count, NULL);
    mtx_t copy = one.lock;
    mtx_lock(&copy); //~ BUG(deadlock)
    mtx_unlock(&copy);
    thrd_join(thread, NULL);
    return 0;
}
