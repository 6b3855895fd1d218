// Loops whose length depends on a number that others change, and that end whatever it is.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static unsigned number = 4;
static char text[8] = "abc";
static int done;

static void *count(void *arg)
{
    unsigned until = number, sum = 0;
    for (unsigned i = 0; i < until; i++)
        sum += i;
    for (unsigned n = until; n; n--)
        sum -= n;
    sum += strlen(text);
    done = sum != 0;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    number = 5;
    number = 6;
    text[1] = 0;
    pthread_join(thread, NULL);
    assert(done == 0 || done == 1);
    return 0;
}
