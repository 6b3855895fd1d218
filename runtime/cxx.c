/*
 * What C++ code needs of its runtime libraries: static guards, exceptions, std::thread and friends as libstdc++ declares them. The names
 * are the mangled ones.
 */
#include "sleave_runtime.h"

int __sleave_once_enter(void *control);
void __sleave_once_leave(void *control);
_Noreturn void abort(void);
_Noreturn void _ZSt9terminatev(void);
int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
int pthread_detach(unsigned long);
int pthread_mutex_lock(void *);
int pthread_mutex_unlock(void *);
int pthread_cond_init(void *, const void *);
int pthread_cond_wait(void *, void *);
int pthread_cond_signal(void *);
int pthread_cond_broadcast(void *);
int pthread_cond_destroy(void *);

/* Guards of function-local statics: byte 0 says "done" to inlined checks, word 1 is the once state. */

int __cxa_guard_acquire(unsigned char *guard)
{
    return __sleave_once_enter(guard + 4);
}

void __cxa_guard_release(unsigned char *guard)
{
    __atomic_store_n(guard, 1, __ATOMIC_SEQ_CST);
    __sleave_once_leave(guard + 4);
}

void __cxa_guard_abort(unsigned char *guard)
{
    __atomic_store_n((int *)(guard + 4), 0, __ATOMIC_SEQ_CST);
}

/* Exceptions. The header before the object holds the type info, where the machine looks for it, and the destructor. */

struct header {
    struct header *next;
    int handlers;
    void *unused;
    void *type_info;
    void (*destructor)(void *);
};

static __thread struct header *caught;

_Noreturn void __sleave_throw(void *exception);

static struct header *header_of(void *exception)
{
    return (struct header *)exception - 1;
}

void *__cxa_allocate_exception(size_t size)
{
    struct header *header = malloc(sizeof *header + size);
    memset(header, 0, sizeof *header);
    return header + 1;
}

void __cxa_free_exception(void *exception)
{
    free(header_of(exception));
}

_Noreturn void __cxa_throw(void *exception, void *type_info, void (*destructor)(void *))
{
    struct header *header = header_of(exception);
    header->type_info = type_info;
    header->destructor = destructor;
    __sleave_throw(exception);
}

void *__cxa_begin_catch(void *exception)
{
    struct header *header = header_of(exception);
    if (header->handlers++ == 0) {
        header->next = caught;
        caught = header;
    }
    return exception;
}

void *__cxa_get_exception_ptr(void *exception)
{
    return exception;
}

void __cxa_end_catch(void)
{
    struct header *header = caught;
    if (header && --header->handlers == 0) {
        caught = header->next;
        if (header->destructor)
            header->destructor(header + 1);
        free(header);
    }
}

_Noreturn void __cxa_rethrow(void)
{
    struct header *header = caught;
    if (!header)
        _ZSt9terminatev();
    caught = header->next;
    header->handlers = 0;
    __sleave_throw(header + 1);
}

void __clang_call_terminate_helper(void *exception)
{
    __cxa_begin_catch(exception);
    _ZSt9terminatev();
}

/* std::thread. The state object's virtual functions: two destructors, then _M_run. */

struct state {
    void (**functions)(struct state *);
};

static void *run_state(void *arg)
{
    struct state *state = arg;
    state->functions[2](state);
    state->functions[1](state);
    return (void *)0;
}

/* std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()) */
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(unsigned long *id, struct state **state,
                                                                                           void (*unused)(void))
{
    (void)unused;
    struct state *taken = *state;
    *state = (struct state *)0;
    pthread_create(id, (void *)0, run_state, taken);
}

/* std::thread::join() */
void _ZNSt6thread4joinEv(unsigned long *id)
{
    if (*id == 0)
        abort();
    pthread_join(*id, (void **)0);
    *id = 0;
}

/* std::thread::detach() */
void _ZNSt6thread6detachEv(unsigned long *id)
{
    if (*id == 0)
        abort();
    pthread_detach(*id);
    *id = 0;
}

/* std::thread::hardware_concurrency() */
unsigned _ZNSt6thread20hardware_concurrencyEv(void)
{
    return 2;
}

/* std::thread::_State::~_State(): complete, deleting */
void _ZNSt6thread6_StateD2Ev(void *state) { (void)state; }
void _ZNSt6thread6_StateD1Ev(void *state) { (void)state; }
void _ZNSt6thread6_StateD0Ev(void *state) { (void)state; }

/* std::condition_variable */
void _ZNSt18condition_variableC1Ev(void *condition) { pthread_cond_init(condition, (void *)0); }
void _ZNSt18condition_variableC2Ev(void *condition) { pthread_cond_init(condition, (void *)0); }
void _ZNSt18condition_variableD1Ev(void *condition) { pthread_cond_destroy(condition); }
void _ZNSt18condition_variableD2Ev(void *condition) { pthread_cond_destroy(condition); }
void _ZNSt18condition_variable10notify_oneEv(void *condition) { pthread_cond_signal(condition); }
void _ZNSt18condition_variable10notify_allEv(void *condition) { pthread_cond_broadcast(condition); }
/* wait(std::unique_lock<std::mutex> &): the lock begins with a pointer to its mutex. */
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *condition, void **lock)
{
    pthread_cond_wait(condition, *lock);
}

/* What libstdc++'s headers call when something is wrong. */
_Noreturn void _ZSt20__throw_system_errori(int code) { (void)code; _ZSt9terminatev(); }
_Noreturn void _ZSt17__throw_bad_allocv(void) { _ZSt9terminatev(); }
_Noreturn void _ZSt28__throw_bad_array_new_lengthv(void) { _ZSt9terminatev(); }
_Noreturn void _ZSt20__throw_length_errorPKc(const char *what) { (void)what; _ZSt9terminatev(); }
_Noreturn void _ZSt20__throw_out_of_rangePKc(const char *what) { (void)what; _ZSt9terminatev(); }
_Noreturn void _ZSt24__throw_out_of_range_fmtPKcz(const char *what, ...) { (void)what; _ZSt9terminatev(); }
_Noreturn void _ZSt19__throw_logic_errorPKc(const char *what) { (void)what; _ZSt9terminatev(); }
_Noreturn void _ZSt25__throw_bad_function_callv(void) { _ZSt9terminatev(); }
_Noreturn void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *function, const char *condition)
{
    (void)file;
    (void)line;
    (void)function;
    (void)condition;
    _ZSt9terminatev();
}
