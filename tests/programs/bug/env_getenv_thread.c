// Which thread asks does not matter, and a value decides what another thread does.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int limit = 1;

void *configure(void *arg)
{
    char *value = getenv("LIMIT");
    if (value && value[0] >= '0' && value[0] <= '9')
        limit = value[0] - '0';
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, configure, NULL);
    int seen = limit;
    assert(seen != 7); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
