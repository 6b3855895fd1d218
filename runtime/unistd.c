/* The process and its surroundings: one process, two processors. */
#include "sleave_runtime.h"

#define PAGE_SIZE 4096
/* More than one, so that programs start threads; few, because each thread multiplies the schedules. */
#define PROCESSORS 2

/* Whether there has been one thread only. The machine makes it 0 before the first thread is created: nobody else is there to see it. */
char __libc_single_threaded = 1;

/* An input that is the same whenever one asks. */
unsigned long long __sleave_fixed_input(const char *name, unsigned bits);

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

/* The first thread's is that of the process. */
int gettid(void)
{
    return process("getpid") + __sleave_thread_id();
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
    SC_CLK_TCK = 2,
    SC_OPEN_MAX = 4,
    SC_PAGESIZE = 30,
    SC_NPROCESSORS_CONF = 83,
    SC_NPROCESSORS_ONLN = 84,
};

long sysconf(int name)
{
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
    default:
        errno = EINVAL;
        return -1;
    }
}
