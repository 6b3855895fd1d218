// sprintf is not atomic: another thread sees the end of the text missing.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char text[24];

static void *writer(void *arg)
{
    sprintf(text, "%d-%s", 12345678, "12345678");
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    if (text[0] == '1')
        assert(text[16] == '8'); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
