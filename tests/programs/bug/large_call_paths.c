// sleave: --args=
// Two threads that more call paths may start than are taken apart lose an update.
#include <assert.h>
#include <pthread.h>

static int counter, wanted;

static void *count(void *arg)
{
    int seen = counter;
    counter = seen + 1;
    return arg;
}

static void start(void)
{
    pthread_t a, b;
    if (!wanted) return;
    wanted = 0;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2); //~ BUG(assertion)
}

#define TWICE(f, g) static void f(void) { g(); g(); }
TWICE(f1, start) TWICE(f2, f1) TWICE(f3, f2) TWICE(f4, f3) TWICE(f5, f4) TWICE(f6, f5)
TWICE(f7, f6) TWICE(f8, f7) TWICE(f9, f8) TWICE(f10, f9) TWICE(f11, f10)

int main(int argc, char **argv)
{
    if (argc > 5) f11();
    wanted = 1;
    start();
}
