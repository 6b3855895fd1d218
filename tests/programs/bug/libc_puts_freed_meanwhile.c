// A text is freed while another thread prints it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *text;

static void *reader(void *arg)
{
    puts(text); //~ BUG(memory)
    return NULL;
}

static void *writer(void *arg)
{
    free(text);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    text = malloc(4);
    text[0] = 0;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
