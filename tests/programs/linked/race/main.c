// expect: bug
// The flag is set in one file and tested in the other; the fault is in this one.
#include <assert.h>
#include <pthread.h>

extern void *setter(void *);
extern int flag, data;

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    if (flag)
        assert(data == 1); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
