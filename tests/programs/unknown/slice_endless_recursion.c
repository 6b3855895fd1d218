// How deep the function goes depends on a number that nothing else depends on.
#include <pthread.h>

static int number = 4;

static int is_odd(int n);

static int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1); //~ UNKNOWN(recursion bound)
}

static void *ask(void *arg)
{
    is_even(number);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    number = -1;
    number = 2;
    pthread_join(thread, NULL);
    return 0;
}
