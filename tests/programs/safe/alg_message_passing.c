// Message passing: data first, then the flag. Under sequential consistency who sees the flag sees the data.
#include <assert.h>
#include <pthread.h>

static int data, flag;

static void *sender(void *arg)
{
    data = 1;
    flag = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, sender, NULL);
    if (flag)
        assert(data == 1);
    pthread_join(t, NULL);
    return 0;
}
