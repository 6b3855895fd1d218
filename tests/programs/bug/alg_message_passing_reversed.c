// Message passing with the flag first.
#include <assert.h>
#include <pthread.h>

static int data, flag;

static void *sender(void *arg)
{
    flag = 1;
    data = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, sender, NULL);
    if (flag)
        assert(data == 1); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
