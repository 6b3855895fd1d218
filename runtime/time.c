/*
 * Time is an input. What can be set (time, CLOCK_REALTIME) gives any valid time, also an earlier one. What cannot be set does not run
 * backwards for one thread, nor for any behind what was read before there were threads. A variable that all threads share would say it of
 * all, and make every reading a step whose order with the others' matters: so two threads may read times in another order than they
 * happen. That is more than the real ones, never less: a program that is safe here is safe at any speed. Each clock is one of its own,
 * C++'s (cxx_thread.c) and clock() included.
 *
 * The types are those of glibc: long for seconds also with -m32, where _TIME_BITS=64 would call other functions.
 */
#include "sleave_runtime.h"

extern char __libc_single_threaded;

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

/* It does not fail on Linux. With 32 bits it soon wraps around. */
long clock(void)
{
    static long first;
    static __thread long last;
    if (sizeof last == 4)
        return (long)__sleave_input("clock", 32);
    long now = non_negative_input("clock");
    __sleave_assume((now >= first) & (now >= last));
    *(__libc_single_threaded ? &first : &last) = now;
    return now;
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

/* The numbers that Linux gives to the clocks. */
enum {
    REALTIME = 0,
    MONOTONIC = 1,
    PROCESS_CPUTIME = 2,
    THREAD_CPUTIME = 3,
    MONOTONIC_RAW = 4,
    MONOTONIC_COARSE = 6,
    BOOTTIME = 7,
    BOOTTIME_ALARM = 9,
    NO_CLOCK = 10,
    CLOCKS = 12,
};

static struct timespec read_clock(void)
{
    struct timespec now;
    now.tv_sec = non_negative_input("clock_gettime.tv_sec");
    now.tv_nsec = input_below("clock_gettime.tv_nsec", NANOSECONDS);
    return now;
}

static int is_before(const struct timespec *a, const struct timespec *b)
{
    return (a->tv_sec < b->tv_sec) | ((a->tv_sec == b->tv_sec) & (a->tv_nsec < b->tv_nsec));
}

/* Linux counts nanoseconds since its start in 64 bits; half of that, so that a program can add a duration. */
static struct timespec read_on(const struct timespec *first, struct timespec *last)
{
    struct timespec now = read_clock();
    int is_early = (long long)now.tv_sec < LLONG_MAX / 2 / NANOSECONDS;
    __sleave_assume(is_early & !is_before(&now, first) & !is_before(&now, last));
    return now;
}

/* Negative ones belong to processes and threads, or to nobody. */
static int is_clock(int clock)
{
    if (clock < 0)
        __sleave_unsupported("a clock of another process or thread");
    if (clock < CLOCKS && clock != NO_CLOCK)
        return 1;
    errno = EINVAL;
    return 0;
}

int clock_gettime(int clock, struct timespec *now)
{
    static struct timespec first[CLOCKS];
    static __thread struct timespec last[CLOCKS];
    struct timespec time;
    switch (clock) {
    case MONOTONIC:
    case PROCESS_CPUTIME:
    case MONOTONIC_RAW:
    case MONOTONIC_COARSE:
    case BOOTTIME:
    case BOOTTIME_ALARM:
        time = read_on(&first[clock], &last[clock]);
        *(__libc_single_threaded ? &first[clock] : &last[clock]) = time;
        break;
    case THREAD_CPUTIME:
        time = last[clock] = read_on(&last[clock], &last[clock]);
        break;
    default:
        if (!is_clock(clock))
            return -1;
        time = read_clock();
    }
    *now = time;
    return 0;
}

/* How fine a clock is differs between systems, and stays as it is. */
int clock_getres(int clock, struct timespec *resolution)
{
    static const char *const names[CLOCKS] = {
        "clock_getres(CLOCK_REALTIME)",
        "clock_getres(CLOCK_MONOTONIC)",
        "clock_getres(CLOCK_PROCESS_CPUTIME_ID)",
        "clock_getres(CLOCK_THREAD_CPUTIME_ID)",
        "clock_getres(CLOCK_MONOTONIC_RAW)",
        "clock_getres(CLOCK_REALTIME_COARSE)",
        "clock_getres(CLOCK_MONOTONIC_COARSE)",
        "clock_getres(CLOCK_BOOTTIME)",
        "clock_getres(CLOCK_REALTIME_ALARM)",
        "clock_getres(CLOCK_BOOTTIME_ALARM)",
        NULL,
        "clock_getres(CLOCK_TAI)",
    };
    if (!is_clock(clock))
        return -1;
    if (resolution != NULL) {
        uint32_t nanoseconds = (uint32_t)__sleave_fixed_input(names[clock], 32);
        __sleave_assume((nanoseconds > 0) & (nanoseconds < NANOSECONDS));
        *resolution = (struct timespec){0, (long)nanoseconds};
    }
    return 0;
}

int timespec_get(struct timespec *now, int base)
{
    const int utc = 1;
    if (base != utc)
        return 0;
    clock_gettime(REALTIME, now);
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

/* C11. -1 would be for signals. */
int thrd_sleep(const struct timespec *duration, struct timespec *remaining)
{
    return nanosleep(duration, remaining) == 0 ? 0 : -2;
}

double difftime(long end, long start)
{
    return (double)end - (double)start;
}
