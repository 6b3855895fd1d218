/*
 * Time is an input: every reading of a clock gives any valid time, independent of earlier readings, also an earlier one. A program
 * that is safe here is safe at any speed; one that relies on a clock not running backwards may show a fault that it cannot have.
 *
 * The types are those of glibc: long for seconds also with -m32, where _TIME_BITS=64 would call other functions.
 */
#include "sleave_runtime.h"

struct timeval {
    long tv_sec;
    long tv_usec;
};

struct timespec {
    long tv_sec;
    long tv_nsec;
};

struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};

#define NANOSECONDS 1000000000L
#define MICROSECONDS 1000000L

static long non_negative_input(const char *name)
{
    long value = (long)__sleave_input(name, sizeof value * CHAR_BIT);
    __sleave_assume(value >= 0);
    return value;
}

static long input_below(const char *name, long limit)
{
    uint32_t value = (uint32_t)__sleave_input(name, 32);
    __sleave_assume(value < (uint32_t)limit);
    return (long)value;
}

long time(long *result)
{
    long now = non_negative_input("time");
    if (result != NULL)
        *result = now;
    return now;
}

long clock(void)
{
    return non_negative_input("clock");
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    if (now != NULL) {
        now->tv_sec = non_negative_input("gettimeofday.tv_sec");
        now->tv_usec = input_below("gettimeofday.tv_usec", MICROSECONDS);
    }
    if (zone != NULL)
        *(struct timezone *)zone = (struct timezone){0, 0};
    return 0;
}

int clock_gettime(int clock, struct timespec *now)
{
    (void)clock;
    now->tv_sec = non_negative_input("clock_gettime.tv_sec");
    now->tv_nsec = input_below("clock_gettime.tv_nsec", NANOSECONDS);
    return 0;
}

int clock_getres(int clock, struct timespec *resolution)
{
    (void)clock;
    if (resolution != NULL)
        *resolution = (struct timespec){0, 1};
    return 0;
}

int timespec_get(struct timespec *now, int base)
{
    const int utc = 1;
    if (base != utc)
        return 0;
    clock_gettime(0, now);
    return base;
}

/* How long a thread sleeps cannot be told from how the others are scheduled: sleeping is a point where they may run. */
int nanosleep(const struct timespec *duration, struct timespec *remaining)
{
    (void)remaining;
    if (duration->tv_sec < 0 || duration->tv_nsec < 0 || duration->tv_nsec >= NANOSECONDS) {
        errno = EINVAL;
        return -1;
    }
    sched_yield();
    return 0;
}

double difftime(long end, long start)
{
    return (double)end - (double)start;
}
