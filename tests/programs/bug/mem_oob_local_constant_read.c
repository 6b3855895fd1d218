// The element before the first one, in a thread.
#include <pthread.h>

static void *look(void *arg)
{
    int numbers[4] = {1, 2, 3, 4};
    int *p = numbers;
    int seen = p[-1]; //~ BUG(memory)
    return seen == 1 ? arg : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    return 0;
}
