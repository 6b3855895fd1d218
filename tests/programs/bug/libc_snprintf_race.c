// snprintf reads its string argument while another thread writes it.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char text[4] = "a";
static char copy[8];

static void *writer(void *arg)
{
    text[0] = 'b';
    return NULL;
}

static void *reader(void *arg)
{
    snprintf(copy, sizeof copy, "%s", text);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(copy[0] == 'a'); //~ BUG(assertion)
    return 0;
}
