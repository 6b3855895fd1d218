/* What runs before and after the program's own code: constructors, exit handlers. */
#include "sleave_runtime.h"

_Noreturn void __sleave_exit(int code);
/* Call the program's constructors and destructors; filled in when it is loaded. */
void __sleave_construct(void);
void __sleave_destruct(void);
/* Of the thread that exits. */
int __sleave_uses_thread_locals(void);
void __sleave_destroy_thread_locals(void);
/* Returns to one thread only: others wait for ever. */
void __sleave_once_exit(void *control);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

/*
 * Exit handlers. Several threads may register them at the same time, also while another thread exits: as glibc guards its list by a lock,
 * the list is looked at in atomic sections. The handlers themselves run outside.
 */

#define MAX_HANDLERS 64

struct handler {
    /* One of the two. */
    void (*plain)(void *);
    void (*with_code)(int, void *);
    void *arg;
};

static struct handler handlers[MAX_HANDLERS];
/* The machine exits at once when main has returned and there are none. */
int __sleave_handler_count;
/* Of quick_exit. */
static struct handler quick_handlers[MAX_HANDLERS];
static int quick_handler_count;

static int add_handler(struct handler *list, int *count, void (*plain)(void *), void (*with_code)(int, void *), void *arg)
{
    __VERIFIER_atomic_begin();
    if (*count == MAX_HANDLERS)
        __sleave_unsupported("atexit with more than 64 handlers");
    list[*count].plain = plain;
    list[*count].with_code = with_code;
    list[*count].arg = arg;
    ++*count;
    __VERIFIER_atomic_end();
    return 0;
}

static void call_plain(void *handler)
{
    ((void (*)(void))handler)();
}

int atexit(void (*handler)(void))
{
    return add_handler(handlers, &__sleave_handler_count, call_plain, (void *)0, (void *)handler);
}

int __cxa_atexit(void (*handler)(void *), void *arg, void *dso)
{
    (void)dso;
    return add_handler(handlers, &__sleave_handler_count, handler, (void *)0, arg);
}

int on_exit(void (*handler)(int, void *), void *arg)
{
    return add_handler(handlers, &__sleave_handler_count, (void *)0, handler, arg);
}

int at_quick_exit(void (*handler)(void))
{
    return add_handler(quick_handlers, &quick_handler_count, call_plain, (void *)0, (void *)handler);
}

/* The last handler registered runs first; one that is registered by another runs next. */
static void call_handlers(struct handler *list, int *count, int code)
{
    for (;;) {
        struct handler next;
        __VERIFIER_atomic_begin();
        if (*count == 0) {
            __VERIFIER_atomic_end();
            return;
        }
        next = list[--*count];
        __VERIFIER_atomic_end();
        if (next.with_code)
            next.with_code(code, next.arg);
        else
            next.plain(next.arg);
    }
}

/*
 * Of threads that exit at the same time, main's return included, the first does all the work, and the others wait for the end of the process
 * (POSIX.1-2024). A handler may exit once more: what is left is done then, as in glibc.
 */
static int exiting;
static __thread int exits;

static void begin_exit(void)
{
    if (!exits)
        __sleave_once_exit(&exiting);
    exits = 1;
}

_Noreturn void exit(int code)
{
    /* First: afterwards the thread uses one. */
    int uses_thread_locals = __sleave_uses_thread_locals();
    begin_exit();
    if (uses_thread_locals)
        __sleave_destroy_thread_locals();
    call_handlers(handlers, &__sleave_handler_count, code);
    __sleave_destruct();
    __sleave_exit(code);
}

_Noreturn void quick_exit(int code)
{
    begin_exit();
    call_handlers(quick_handlers, &quick_handler_count, code);
    __sleave_exit(code);
}

/* Runs before main, which the machine calls itself. */
void __sleave_begin(void)
{
    __sleave_construct();
}
