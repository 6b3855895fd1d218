// Two C11 mutexes in opposite orders.
#include <threads.h>

static mtx_t a, b;

static int worker(void *arg)
{
    mtx_lock(&b);
    mtx_lock(&a); //~ BUG(deadlock)
    mtx_unlock(&a);
    mtx_unlock(&b);
    return 0;
}

int main(void)
{
    thrd_t t;
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&t, worker, NULL);
    mtx_lock(&a);
    mtx_lock(&b);
    mtx_unlock(&b);
    mtx_unlock(&a);
    thrd_join(t, NULL);
    return 0;
}
