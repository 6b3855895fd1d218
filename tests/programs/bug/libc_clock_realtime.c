// The time of day can be set back.
#include <assert.h>
#include <time.h>

int main(void)
{
    struct timespec a, b;
    clock_gettime(CLOCK_REALTIME, &a);
    clock_gettime(CLOCK_REALTIME, &b);
    assert(a.tv_sec <= b.tv_sec); //~ BUG(assertion)
    return 0;
}
