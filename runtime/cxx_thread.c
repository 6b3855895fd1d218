/* std::thread, std::condition_variable, std::call_once, clocks and futures, as libstdc++ declares them. The names are the mangled ones. */
#include "sleave_runtime.h"

int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
int pthread_detach(unsigned long);
unsigned long pthread_self(void);
int pthread_mutex_lock(void *);
int pthread_mutex_unlock(void *);
int pthread_cond_init(void *, const void *);
int pthread_cond_wait(void *, void *);
int pthread_cond_timedwait(void *, void *, const void *);
int pthread_cond_signal(void *);
int pthread_cond_broadcast(void *);
int pthread_cond_destroy(void *);
extern char __libc_single_threaded;
_Noreturn void _ZSt20__throw_system_errori(int code);

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
    int error = pthread_create(id, (void *)0, run_state, taken);
    if (error) {
        taken->functions[1](taken);
        _ZSt20__throw_system_errori(error);
    }
}

/* std::thread::join() */
void _ZNSt6thread4joinEv(unsigned long *id)
{
    if (*id == 0)
        _ZSt20__throw_system_errori(EINVAL);
    int error = pthread_join(*id, (void **)0);
    if (error)
        _ZSt20__throw_system_errori(error);
    *id = 0;
}

/* std::thread::detach() */
void _ZNSt6thread6detachEv(unsigned long *id)
{
    if (*id == 0)
        _ZSt20__throw_system_errori(EINVAL);
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

struct type_info {
    const void *const *table;
    const char *name;
};

extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[];
const struct type_info _ZTINSt6thread6_StateE = {_ZTVN10__cxxabiv117__class_type_infoE + 2, "NSt6thread6_StateE"};

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


/* std::call_once: the thread's callable is found through these. */
__thread void *_ZSt15__once_callable;
__thread void (*_ZSt11__once_call)(void);

void __once_proxy(void)
{
    _ZSt11__once_call();
}

/*
 * std::chrono's now() of steady_clock and system_clock: inputs, as in time.c. Nanoseconds. The steady clock does not run backwards for
 * one thread, and is past the time that the thread has waited for in vain: std::condition_variable::wait_for would never end without.
 */

#define ETIMEDOUT 110
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1

struct timespec {
    long seconds;
    long nanoseconds;
};

/* What was read before there were threads, and the thread's own. */
static long long first;
static __thread long long earliest;

static long long now(const char *name)
{
    long long nanoseconds = (long long)__sleave_input(name, 64);
    /* Half the range, so that a program can add a duration to it. */
    __sleave_assume((nanoseconds >= 0) & (nanoseconds < LLONG_MAX / 2));
    return nanoseconds;
}

long long _ZNSt6chrono3_V212steady_clock3nowEv(void)
{
    long long nanoseconds = now("steady_clock::now");
    __sleave_assume((nanoseconds >= first) & (nanoseconds >= earliest));
    *(__libc_single_threaded ? &first : &earliest) = nanoseconds;
    return nanoseconds;
}

long long _ZNSt6chrono3_V212system_clock3nowEv(void) { return now("system_clock::now"); }

int pthread_cond_clockwait(void *condition, void *mutex, int clock, const struct timespec *until)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    int error = pthread_cond_timedwait(condition, mutex, until);
    if (error == ETIMEDOUT && clock == CLOCK_MONOTONIC) {
        long long nanoseconds = until->seconds * 1000000000LL + until->nanoseconds;
        earliest = nanoseconds > earliest ? nanoseconds : earliest;
    }
    return error;
}

/* Futures wait until a word changes. All wait for the same condition: whoever is woken looks at its own word again. */

static struct {
    long long words[6];
} futex_mutex, futex_condition;

/* __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *, unsigned, bool, seconds, nanoseconds): false for a time-out */
_Bool _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *base, unsigned *word, unsigned expected, _Bool has_timeout, long seconds, long nanoseconds)
{
    struct timespec until = {seconds, nanoseconds};
    int error = 0;
    (void)base;
    pthread_mutex_lock(&futex_mutex);
    while (error == 0 && __atomic_load_n(word, __ATOMIC_SEQ_CST) == expected) {
        if (has_timeout)
            error = pthread_cond_timedwait(&futex_condition, &futex_mutex, &until);
        else
            pthread_cond_wait(&futex_condition, &futex_mutex);
    }
    pthread_mutex_unlock(&futex_mutex);
    return error == 0;
}

_Bool _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *base, unsigned *word, unsigned expected, _Bool has_timeout, long seconds, long nanoseconds)
{
    return _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
        base, word, expected, has_timeout, seconds, nanoseconds);
}

/* __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *) */
void _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(void *base, unsigned *word)
{
    (void)base;
    (void)word;
    pthread_mutex_lock(&futex_mutex);
    pthread_cond_broadcast(&futex_condition);
    pthread_mutex_unlock(&futex_mutex);
}

/* std::__future_base::_Result_base: a table, an exception pointer. Whether there is a result is a member of those that have one. */

struct result {
    const void *const *table;
    void *error;
};

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **pointer);

extern const void *const _ZTVNSt13__future_base12_Result_baseE[];

void _ZNSt13__future_base12_Result_baseC2Ev(struct result *result)
{
    result->table = _ZTVNSt13__future_base12_Result_baseE + 2;
    result->error = (void *)0;
}
void _ZNSt13__future_base12_Result_baseC1Ev(struct result *result) { _ZNSt13__future_base12_Result_baseC2Ev(result); }

void _ZNSt13__future_base12_Result_baseD2Ev(struct result *result)
{
    _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(&result->error);
}
void _ZNSt13__future_base12_Result_baseD1Ev(struct result *result) { _ZNSt13__future_base12_Result_baseD2Ev(result); }
void _ZNSt13__future_base12_Result_baseD0Ev(struct result *result) { _ZNSt13__future_base12_Result_baseD2Ev(result); }

_Noreturn void __cxa_pure_virtual(void);

const struct type_info _ZTINSt13__future_base12_Result_baseE = {_ZTVN10__cxxabiv117__class_type_infoE + 2,
                                                                "NSt13__future_base12_Result_baseE"};
const void *const _ZTVNSt13__future_base12_Result_baseE[] = {0, &_ZTINSt13__future_base12_Result_baseE,
                                                             (const void *)__cxa_pure_virtual,
                                                             (const void *)_ZNSt13__future_base12_Result_baseD1Ev,
                                                             (const void *)_ZNSt13__future_base12_Result_baseD0Ev};
