// Independent reads of independent writes: both readers agree on the order of the two writes.
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *write_x(void *arg) { x = 1; return NULL; }
static void *write_y(void *arg) { y = 1; return NULL; }

static void *x_then_y(void *arg)
{
    int a = x, b = y;
    return (void *)(long)(a && !b);
}

int main(void)
{
    pthread_t t, u, v;
    void *x_first;
    pthread_create(&t, NULL, write_x, NULL);
    pthread_create(&u, NULL, write_y, NULL);
    pthread_create(&v, NULL, x_then_y, NULL);
    int b = y, a = x;
    int y_first = b && !a;
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, &x_first);
    assert(!(x_first && y_first));
    return 0;
}
