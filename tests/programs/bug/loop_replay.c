// sleave: --por none --prune none --no-slice
// A schedule that is made shorter may lead into a loop of another thread that never ends.
#include <assert.h>
#include <pthread.h>

static int cells[2], started;
static _Atomic int which;

static void *check(void *arg)
{
    int sum = which + cells[0];
    cells[1] = 1;
    assert(started != 1); //~ BUG(assertion)
    return sum ? arg : 0;
}

static void *wait(void *arg)
{
    int sum = which + cells[0] + cells[1];
    while (!cells[which & 1]) {}
    return sum ? arg : 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, check, 0);
    pthread_create(&u, 0, wait, 0);
    started++;
    return 0;
}
