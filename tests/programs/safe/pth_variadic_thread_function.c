// sleave: -- -std=c23
// A thread function that takes its argument from a list.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>

static void *work(...)
{
    va_list list;
    va_start(list);
    void *argument = va_arg(list, void *);
    va_end(list);
    assert(argument == (void *)5);
    return argument;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, (void *(*)(void *))work, (void *)5);
    pthread_join(t, &result);
    assert(result == (void *)5);
    return 0;
}
