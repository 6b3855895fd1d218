// Clocks that nobody can set do not run backwards.
#include <assert.h>
#include <time.h>

static int is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec);
}

int main(void)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,      CLOCK_MONOTONIC_COARSE,
                                       CLOCK_BOOTTIME,  CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct timespec a, b;
        assert(clock_gettime(clocks[i], &a) == 0);
        assert(clock_gettime(clocks[i], &b) == 0);
        assert(is_later(a, b));
    }
    clock_t first = clock();
    assert(clock() >= first);
    struct timespec none;
    assert(clock_gettime(42, &none) == -1);
    return 0;
}
