// The index is checked, then another thread changes it before it is used.
#include <pthread.h>

static int table[4];
static volatile int index_;

static void *changer(void *arg)
{
    index_ = 4;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, changer, NULL);
    if (index_ < 4)
        table[index_] = 1; //~ BUG(memory)
    pthread_join(t, NULL);
    return 0;
}
