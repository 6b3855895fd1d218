/* What runs before and after the program's own code: constructors, exit handlers. */
#include "sleave_runtime.h"

_Noreturn void __sleave_exit(int code);
/* Call the program's constructors and destructors; filled in when it is loaded. */
void __sleave_construct(void);
void __sleave_destruct(void);
/* Of the thread that exits. */
int __sleave_uses_thread_locals(void);
void __sleave_destroy_thread_locals(void);

#define MAX_HANDLERS 64

static void (*handlers[MAX_HANDLERS])(void *);
static void *handler_args[MAX_HANDLERS];
/* The machine exits at once when main has returned and there are none. */
int __sleave_handler_count;

static int add_handler(void (*handler)(void *), void *arg)
{
    if (__sleave_handler_count == MAX_HANDLERS)
        __sleave_unsupported("atexit with more than 64 handlers");
    handlers[__sleave_handler_count] = handler;
    handler_args[__sleave_handler_count] = arg;
    __sleave_handler_count++;
    return 0;
}

static void call_plain(void *handler)
{
    ((void (*)(void))handler)();
}

int atexit(void (*handler)(void))
{
    return add_handler(call_plain, (void *)handler);
}

int __cxa_atexit(void (*handler)(void *), void *arg, void *dso)
{
    (void)dso;
    return add_handler(handler, arg);
}

_Noreturn void exit(int code)
{
    if (__sleave_uses_thread_locals())
        __sleave_destroy_thread_locals();
    while (__sleave_handler_count > 0) {
        __sleave_handler_count--;
        handlers[__sleave_handler_count](handler_args[__sleave_handler_count]);
    }
    __sleave_destruct();
    __sleave_exit(code);
}

_Noreturn void quick_exit(int code)
{
    __sleave_exit(code);
}

/* Runs before main, which the machine calls itself. */
void __sleave_begin(void)
{
    __sleave_construct();
}
