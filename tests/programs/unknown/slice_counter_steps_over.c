// sleave: --unwind 50
// The number may be odd when it is read: then it is stepped over for ever.
#include <pthread.h>

static unsigned number = 4;

static void *count(void *arg)
{
    unsigned until = number;
    for (unsigned n = 0; n != until; n += 2) //~ UNKNOWN(loop bound)
        ;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    number = 5;
    number = 6;
    pthread_join(thread, NULL);
    return 0;
}
