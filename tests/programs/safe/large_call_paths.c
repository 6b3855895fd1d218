// sleave: --args=
// More call paths lead to a creation than are taken apart; none is executed.
#include <pthread.h>

static void *nothing(void *arg)
{
    return arg;
}

static void start(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
}

#define TWICE(f, g) static void f(void) { g(); g(); }
TWICE(f1, start) TWICE(f2, f1) TWICE(f3, f2) TWICE(f4, f3) TWICE(f5, f4) TWICE(f6, f5) TWICE(f7, f6)
TWICE(f8, f7) TWICE(f9, f8) TWICE(f10, f9) TWICE(f11, f10) TWICE(f12, f11) TWICE(f13, f12)

int main(int argc, char **argv)
{
    if (argc > 5) f13();
}
