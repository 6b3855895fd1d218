// The same with threads that start their own kind.
#include <pthread.h>

static int wanted;

static void *again(void *arg)
{
    pthread_t t;
    if (arg) pthread_create(&t, 0, again, 0);
    return 0;
}

static void start(void)
{
    pthread_t t;
    if (!wanted) return;
    pthread_create(&t, 0, again, &wanted);
    pthread_join(t, 0);
}

#define TWICE(f, g) static void f(void) { g(); g(); }
TWICE(f1, start) TWICE(f2, f1) TWICE(f3, f2) TWICE(f4, f3) TWICE(f5, f4) TWICE(f6, f5)
TWICE(f7, f6) TWICE(f8, f7) TWICE(f9, f8) TWICE(f10, f9) TWICE(f11, f10) TWICE(f12, f11)

int main(void)
{
    f12();
}
