// sleave: --property race
// getenv and the functions of streams may be called by several threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void *ask(void *arg)
{
    getenv("LANG");
    getchar();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, ask, NULL);
    getenv("LANG");
    getchar();
    pthread_join(t, NULL);
    return 0;
}
