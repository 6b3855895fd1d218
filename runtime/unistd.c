/* The process and its surroundings: one process, two processors. */
#include "sleave_runtime.h"

#define PAGE_SIZE 4096
/* More than one, so that programs start threads; few, because each thread multiplies the schedules. */
#define PROCESSORS 2

/* Whether there has been one thread only. The machine makes it 0 before the first thread is created: nobody else is there to see it. */
char __libc_single_threaded = 1;

/* Linux gives numbers below 2^22. Some are left for the threads. */
static int process(const char *name)
{
    int number = (int)__sleave_fixed_input(name, 21);
    __sleave_assume(number > 0);
    return number;
}

int getpid(void)
{
    return process("getpid");
}

int getppid(void)
{
    return process("getppid");
}

/* The first thread's is that of the process; those of others are larger, and others may lie between. */
int gettid(void)
{
    int thread = __sleave_thread_id();
    int first = process("getpid");
    return thread == 0 ? first : first + thread * (1 + (int)__sleave_fixed_input("distance between thread ids, less one", 8));
}

int getpagesize(void)
{
    return PAGE_SIZE;
}

int get_nprocs(void)
{
    return PROCESSORS;
}

int get_nprocs_conf(void)
{
    return PROCESSORS;
}

/* The numbers that glibc gives to the names. */
enum {
    SC_ARG_MAX = 0,
    SC_CLK_TCK = 2,
    SC_NGROUPS_MAX = 3,
    SC_OPEN_MAX = 4,
    SC_STREAM_MAX = 5,
    SC_JOB_CONTROL = 7,
    SC_SAVED_IDS = 8,
    SC_VERSION = 29,
    SC_PAGESIZE = 30,
    SC_LINE_MAX = 43,
    SC_IOV_MAX = 60,
    SC_THREADS = 67,
    SC_LOGIN_NAME_MAX = 71,
    SC_THREAD_KEYS_MAX = 74,
    SC_NPROCESSORS_CONF = 83,
    SC_NPROCESSORS_ONLN = 84,
    SC_PHYS_PAGES = 85,
    SC_AVPHYS_PAGES = 86,
    SC_ATEXIT_MAX = 87,
    SC_MONOTONIC_CLOCK = 149,
    SC_HOST_NAME_MAX = 180,
    NAMES = 251,
};

static long at_least(long least, unsigned long long input)
{
    __sleave_assume((long)input >= least);
    return (long)input;
}

long sysconf(int name)
{
    const long posix = 200809;
    switch (name) {
    case SC_CLK_TCK:
        return 100;
    case SC_OPEN_MAX:
        return 1024;
    case SC_PAGESIZE:
        return PAGE_SIZE;
    case SC_NPROCESSORS_CONF:
    case SC_NPROCESSORS_ONLN:
        return PROCESSORS;
    case SC_JOB_CONTROL:
    case SC_SAVED_IDS:
        return 1;
    case SC_VERSION:
    case SC_THREADS:
    case SC_MONOTONIC_CLOCK:
        return posix;
    case SC_LINE_MAX:
        return 2048;
    case SC_STREAM_MAX:
        return 16;
    case SC_IOV_MAX:
        return 1024;
    case SC_LOGIN_NAME_MAX:
        return 256;
    case SC_THREAD_KEYS_MAX:
        return 1024;
    case SC_ATEXIT_MAX:
        return INT_MAX;
    case SC_HOST_NAME_MAX:
        return 64;
    case SC_NGROUPS_MAX:
        return 65536;
    /* These differ between systems. */
    case SC_ARG_MAX:
        return at_least(131072, __sleave_fixed_input("sysconf(_SC_ARG_MAX)", sizeof(long) * CHAR_BIT));
    case SC_PHYS_PAGES:
        return at_least(1, __sleave_fixed_input("sysconf(_SC_PHYS_PAGES)", sizeof(long) * CHAR_BIT));
    case SC_AVPHYS_PAGES:
        return at_least(1, __sleave_input("sysconf(_SC_AVPHYS_PAGES)", sizeof(long) * CHAR_BIT));
    default:
        if (name >= 0 && name < NAMES)
            __sleave_unsupported("sysconf of this name");
        errno = EINVAL;
        return -1;
    }
}
