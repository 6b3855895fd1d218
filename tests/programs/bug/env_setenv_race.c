// sleave: --property race
// setenv beside getenv is a race: getenv takes no lock.
#include <pthread.h>
#include <stdlib.h>

void *set(void *arg)
{
    setenv("LANG", "C", 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    getenv("LANG"); //~ BUG(race)
    pthread_join(t, NULL);
    return 0;
}
