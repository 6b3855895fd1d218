// runs: 6
// snprintf reads two shared words, one event each, while another thread writes to both: 4 choose 2.
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
    pthread_join(t, NULL);
    return 0;
}
