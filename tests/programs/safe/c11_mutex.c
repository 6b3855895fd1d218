// A C11 mutex protects the counter; a recursive one may be locked twice.
#include <assert.h>
#include <threads.h>

static mtx_t m, r;
static int counter;

static int worker(void *arg)
{
    mtx_lock(&m);
    counter++;
    mtx_unlock(&m);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    assert(mtx_init(&m, mtx_plain) == thrd_success);
    assert(mtx_init(&r, mtx_plain | mtx_recursive) == thrd_success);
    assert(mtx_lock(&r) == thrd_success);
    assert(mtx_lock(&r) == thrd_success);
    mtx_unlock(&r);
    mtx_unlock(&r);
    thrd_create(&a, worker, NULL);
    thrd_create(&b, worker, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(counter == 2);
    mtx_destroy(&m);
    return 0;
}
