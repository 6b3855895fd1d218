#include <assert.h>
#include <time.h>

int main(void)
{
    struct timespec resolution;
    clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
    assert(resolution.tv_nsec == 1); //~ BUG(assertion)
    return 0;
}
