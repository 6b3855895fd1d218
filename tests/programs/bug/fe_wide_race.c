// sleave: --property race
// Half of an access races like the whole.
#include <pthread.h>

static union {
    __int128 wide;
    long half[2];
} shared;

static void *writer(void *arg)
{
    shared.half[1] = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    __int128 copy = shared.wide; //~ BUG(race)
    pthread_join(t, NULL);
    return copy != 0;
}
