// An address becomes text, and the text an address.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int x;

static void *change(void *arg)
{
    char text[40];
    snprintf(text, sizeof text, "%lu", (unsigned long)&x);
    int *pointer = (int *)strtoul(text, NULL, 10);
    *pointer = 1;
    *pointer = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int seen = x;
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
