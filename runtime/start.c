/* What runs before and after the program's own code: constructors, main, exit handlers. */
#include "sleave_runtime.h"

_Noreturn void __sleave_exit(int code);
/* Call the program's constructors and destructors; filled in when it is loaded. */
void __sleave_construct(void);
void __sleave_destruct(void);
/* Of the program under verification; so called, any definition of main can be linked. */
int main(int argc, char **argv, char **environment);
/* Of the thread that exits. */
void __sleave_destroy_thread_locals(void);

#define MAX_HANDLERS 64

static void (*handlers[MAX_HANDLERS])(void *);
static void *handler_args[MAX_HANDLERS];
static int handler_count;

static int add_handler(void (*handler)(void *), void *arg)
{
    if (handler_count == MAX_HANDLERS)
        __sleave_unsupported("atexit with more than 64 handlers");
    handlers[handler_count] = handler;
    handler_args[handler_count] = arg;
    handler_count++;
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
    __sleave_destroy_thread_locals();
    while (handler_count > 0) {
        handler_count--;
        handlers[handler_count](handler_args[handler_count]);
    }
    __sleave_destruct();
    __sleave_exit(code);
}

_Noreturn void quick_exit(int code)
{
    __sleave_exit(code);
}

void __sleave_start(int argc, char **argv)
{
    __sleave_construct();
    exit(main(argc, argv, (char **)0));
}
