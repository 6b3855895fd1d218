// What systems agree on is what it is; what they do not is an input within its limits.
#include <assert.h>
#include <errno.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    assert(sysconf(_SC_ARG_MAX) >= 4096 && sysconf(_SC_ARG_MAX) == sysconf(_SC_ARG_MAX));
    assert(sysconf(_SC_IOV_MAX) >= 16 && sysconf(_SC_HOST_NAME_MAX) == 64);
    errno = 0;
    assert(sysconf(9999) == -1 && errno == EINVAL);

    struct timespec resolution, again;
    errno = 0;
    assert(clock_getres(9999, &resolution) == -1 && errno == EINVAL);
    assert(clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && clock_getres(CLOCK_MONOTONIC, &again) == 0);
    assert(resolution.tv_sec == 0 && resolution.tv_nsec > 0 && resolution.tv_nsec == again.tv_nsec);

    struct timespec invalid = {0, 1000000000};
    assert(thrd_sleep(&invalid, NULL) < 0);
    return 0;
}
