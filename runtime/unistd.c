/* The process and its surroundings: one process, two processors, no terminal. */
#include "sleave_runtime.h"

#define PROCESS 42
#define PAGE_SIZE 4096
/* More than one, so that programs start threads; few, because each thread multiplies the schedules. */
#define PROCESSORS 2

int getpid(void)
{
    return PROCESS;
}

int getppid(void)
{
    return 1;
}

/* The first thread's is that of the process. */
int gettid(void)
{
    return PROCESS + __sleave_thread_id();
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

int isatty(int descriptor)
{
    (void)descriptor;
    errno = ENOTTY;
    return 0;
}
