// snprintf is not atomic: it sees the end of a text after a change and its start before it.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char text[24] = "aaaaaaaaaaaaaaaa";

static void *writer(void *arg)
{
    text[0] = 'b';
    text[15] = 'b';
    return NULL;
}

int main(void)
{
    pthread_t t;
    char copy[24];
    pthread_create(&t, NULL, writer, NULL);
    snprintf(copy, sizeof copy, "%s", text);
    assert(copy[0] == 'b' || copy[15] == 'a'); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
