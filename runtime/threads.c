/*
 * The part of pthreads that needs no scheduler: how a thread begins and ends, once routines, keys, attributes. What blocks or is seen by
 * other threads is a shim of the machine.
 */
#include "sleave_runtime.h"

#define EAGAIN 11
#define ENOTSUP 95
#define MAX_KEYS 1024
#define FIRST_KEYS 32
#define DESTRUCTOR_ITERATIONS 4

/* Whether the caller is to run the routine; waits while another thread does. */
int __sleave_once_enter(void *control);
void __sleave_once_leave(void *control);

int pthread_once(void *control, void (*routine)(void))
{
    if (__sleave_once_enter(control)) {
        routine();
        __sleave_once_leave(control);
    }
    return 0;
}

/*
 * Keys: destructors are the program's, values the thread's. As in glibc, a key that is made anew is a later generation: what a thread has
 * stored under an earlier one is no value of it. Keys may be made, deleted and used concurrently, and none of that is a synchronisation
 * that a program could rely on: so the table is looked at by relaxed atomic operations.
 */

static struct {
    unsigned generation; /* odd while it is in use */
    void (*destructor)(void *);
} keys[MAX_KEYS];

struct value {
    unsigned generation;
    void *value;
};

/* Two arrays: most threads never use, and so never have, the second. */
static __thread struct value first_values[FIRST_KEYS];
static __thread struct value more_values[MAX_KEYS - FIRST_KEYS];
/* No key from here on has a value in this thread. */
static __thread unsigned used_keys;
/* Most threads use none: then there is nothing to look through at their end. */
int __sleave_uses_thread_locals(void);

static struct value *value_of(unsigned key)
{
    return key < FIRST_KEYS ? &first_values[key] : &more_values[key - FIRST_KEYS];
}

static unsigned generation_of(unsigned key)
{
    return __atomic_load_n(&keys[key].generation, __ATOMIC_RELAXED);
}

/* Whether the key was of this generation and is of the next one now. */
static int advance(unsigned key, unsigned generation)
{
    return __atomic_compare_exchange_n(&keys[key].generation, &generation, generation + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    for (unsigned i = 0; i < MAX_KEYS; i++) {
        unsigned generation = generation_of(i);
        if (generation % 2 == 0 && advance(i, generation)) {
            __atomic_store_n(&keys[i].destructor, destructor, __ATOMIC_RELAXED);
            *key = i;
            return 0;
        }
    }
    return EAGAIN;
}

int pthread_key_delete(unsigned key)
{
    unsigned generation;
    if (key >= MAX_KEYS)
        return EINVAL;
    generation = generation_of(key);
    return generation % 2 == 1 && advance(key, generation) ? 0 : EINVAL;
}

void *pthread_getspecific(unsigned key)
{
    struct value *value;
    if (key >= used_keys)
        return (void *)0;
    value = value_of(key);
    return value->generation == generation_of(key) ? value->value : (void *)0;
}

int pthread_setspecific(unsigned key, const void *value)
{
    unsigned generation;
    struct value *own;
    if (key >= MAX_KEYS)
        return EINVAL;
    generation = generation_of(key);
    if (generation % 2 == 0)
        return EINVAL;
    if (key >= used_keys)
        used_keys = key + 1;
    own = value_of(key);
    own->generation = generation;
    own->value = (void *)value;
    return 0;
}

static void destroy_values(void)
{
    for (int round = 0; round < DESTRUCTOR_ITERATIONS; round++) {
        int found = 0;
        /* A destructor may use further keys. */
        for (unsigned i = 0; i < used_keys; i++) {
            struct value *own = value_of(i);
            void *value = own->value;
            void (*destructor)(void *);
            if (!value)
                continue;
            own->value = (void *)0;
            if (own->generation != generation_of(i))
                continue;
            destructor = __atomic_load_n(&keys[i].destructor, __ATOMIC_RELAXED);
            if (destructor) {
                found = 1;
                destructor(value);
            }
        }
        if (!found)
            return;
    }
}

/* Destructors of C++ thread_local objects, the last one constructed first. */

#define MAX_THREAD_EXITS 32

static __thread struct {
    unsigned count;
    struct {
        void (*destructor)(void *);
        void *object;
    } list[MAX_THREAD_EXITS];
} thread_exits;

int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *dso)
{
    (void)dso;
    if (thread_exits.count == MAX_THREAD_EXITS)
        __sleave_unsupported("more than 32 thread_local objects with destructors in a thread");
    thread_exits.list[thread_exits.count].destructor = destructor;
    thread_exits.list[thread_exits.count].object = object;
    thread_exits.count++;
    return 0;
}

/* For the calling thread, if it uses thread-locals. A destructor may construct further objects. */
void __sleave_destroy_thread_locals(void)
{
    while (thread_exits.count > 0) {
        thread_exits.count--;
        thread_exits.list[thread_exits.count].destructor(thread_exits.list[thread_exits.count].object);
    }
}

/* The end of a thread that uses thread-locals, after its function has returned. */
void __sleave_end_thread(void)
{
    __sleave_destroy_thread_locals();
    destroy_values();
}

/* Stands in for a thread's function that cannot be entered as it is: it has no body, or more than one parameter. */
void *__sleave_call_thread(void *(*function)(void *), void *arg)
{
    return function(arg);
}

/* Where main goes on after pthread_exit: the process exits when the other threads have ended. */
void __sleave_wait_alone(void);
_Noreturn void exit(int code);

_Noreturn void __sleave_main_exited(void)
{
    if (__sleave_uses_thread_locals())
        __sleave_end_thread();
    __sleave_wait_alone();
    exit(0);
}

/*
 * Attributes: what was set can be read back, and what glibc refuses is refused. Of a thread's, only being detached matters, and must be the first
 * int; of a mutex's, only the kind, which must be the lowest two bits; of a read-write lock's, only whether it prefers writers.
 */

struct attributes {
    int detached;
    int policy;
    int inherits;
    int priority;
    size_t guard;
    size_t stack;
};

#define PAGE 4096
#define DEFAULT_STACK (8 << 20)
#define SMALLEST_STACK (16 << 10)
#define LONGEST_NAME 15

static int is_out_of(int value, int last) { return value < 0 || value > last; }

/* Sets a number from 0 to `last`. */
static int set(int *attribute, int value, int last)
{
    if (is_out_of(value, last))
        return EINVAL;
    *attribute = value;
    return 0;
}

static int get(const int *attribute, int *value)
{
    *value = *attribute;
    return 0;
}

int pthread_attr_init(struct attributes *attr)
{
    attr->detached = attr->policy = attr->inherits = attr->priority = 0;
    attr->guard = PAGE;
    attr->stack = DEFAULT_STACK;
    return 0;
}
int pthread_attr_destroy(struct attributes *attr) { (void)attr; return 0; }
int pthread_attr_setdetachstate(struct attributes *attr, int state) { return set(&attr->detached, state, 1); }
int pthread_attr_getdetachstate(const struct attributes *attr, int *state) { return get(&attr->detached, state); }
int pthread_attr_setstacksize(struct attributes *attr, size_t size)
{
    if (size < SMALLEST_STACK)
        return EINVAL;
    attr->stack = size;
    return 0;
}
int pthread_attr_getstacksize(const struct attributes *attr, size_t *size) { *size = attr->stack; return 0; }
int pthread_attr_setguardsize(struct attributes *attr, size_t size) { attr->guard = size; return 0; }
int pthread_attr_getguardsize(const struct attributes *attr, size_t *size) { *size = attr->guard; return 0; }
int pthread_attr_setscope(struct attributes *attr, int scope)
{
    (void)attr;
    return scope == 0 ? 0 : scope == 1 ? ENOTSUP : EINVAL;
}
int pthread_attr_getscope(const struct attributes *attr, int *scope) { (void)attr; *scope = 0; return 0; }
int pthread_attr_setschedpolicy(struct attributes *attr, int policy) { return set(&attr->policy, policy, 2); }
int pthread_attr_getschedpolicy(const struct attributes *attr, int *policy) { return get(&attr->policy, policy); }
int pthread_attr_setinheritsched(struct attributes *attr, int inherits) { return set(&attr->inherits, inherits, 1); }
int pthread_attr_getinheritsched(const struct attributes *attr, int *inherits) { return get(&attr->inherits, inherits); }
/* A priority is 0 by the usual policy, and 1 to 99 by the others. */
int pthread_attr_setschedparam(struct attributes *attr, const int *param)
{
    int priority = *param;
    if (attr->policy == 0 ? priority != 0 : priority < 1 || priority > 99)
        return EINVAL;
    attr->priority = priority;
    return 0;
}
int pthread_attr_getschedparam(const struct attributes *attr, int *param) { return get(&attr->priority, param); }

/* Of a mutex: kind, protocol, robustness and sharing in one int. */

#define KIND 3
#define PROTOCOL_SHIFT 28
#define PROTOCOL (3u << PROTOCOL_SHIFT)
#define SHARED (1u << 31)

int pthread_mutexattr_init(int *attr) { *attr = 0; return 0; }
int pthread_mutexattr_destroy(int *attr) { (void)attr; return 0; }
int pthread_mutexattr_settype(int *attr, int kind)
{
    if (is_out_of(kind, 3))
        return EINVAL;
    *attr = (*attr & ~KIND) | kind;
    return 0;
}
int pthread_mutexattr_gettype(const int *attr, int *kind) { *kind = *attr & KIND; return 0; }
/* As the two were called before POSIX had them. */
int pthread_mutexattr_setkind_np(int *attr, int kind) { return pthread_mutexattr_settype(attr, kind); }
int pthread_mutexattr_getkind_np(const int *attr, int *kind) { return pthread_mutexattr_gettype(attr, kind); }
int pthread_mutexattr_setpshared(unsigned *attr, int shared)
{
    if (is_out_of(shared, 1))
        return EINVAL;
    *attr = (*attr & ~SHARED) | (shared ? SHARED : 0);
    return 0;
}
int pthread_mutexattr_getpshared(const unsigned *attr, int *shared) { *shared = (*attr & SHARED) != 0; return 0; }
int pthread_mutexattr_setprotocol(unsigned *attr, int protocol)
{
    if (is_out_of(protocol, 2))
        return EINVAL;
    *attr = (*attr & ~PROTOCOL) | (unsigned)protocol << PROTOCOL_SHIFT;
    return 0;
}
int pthread_mutexattr_getprotocol(const unsigned *attr, int *protocol)
{
    *protocol = (int)((*attr & PROTOCOL) >> PROTOCOL_SHIFT);
    return 0;
}
int pthread_mutexattr_setrobust(int *attr, int robust)
{
    (void)attr;
    if (is_out_of(robust, 1))
        return EINVAL;
    if (robust)
        __sleave_unsupported("robust mutexes");
    return 0;
}
int pthread_mutexattr_getrobust(const int *attr, int *robust) { (void)attr; *robust = 0; return 0; }

/* Of a condition: its clock, times two, and whether it is shared. */
int pthread_condattr_init(int *attr) { *attr = 0; return 0; }
int pthread_condattr_destroy(int *attr) { (void)attr; return 0; }
int pthread_condattr_setclock(int *attr, int clock)
{
    if (is_out_of(clock, 1))
        return EINVAL;
    *attr = (*attr & 1) | clock << 1;
    return 0;
}
int pthread_condattr_getclock(const int *attr, int *clock) { *clock = *attr >> 1; return 0; }
int pthread_condattr_setpshared(int *attr, int shared)
{
    if (is_out_of(shared, 1))
        return EINVAL;
    *attr = (*attr & ~1) | shared;
    return 0;
}
int pthread_condattr_getpshared(const int *attr, int *shared) { *shared = *attr & 1; return 0; }

/* Of a read-write lock: its kind, and whether it is shared. */
int pthread_rwlockattr_init(int attr[2]) { attr[0] = attr[1] = 0; return 0; }
int pthread_rwlockattr_destroy(int *attr) { (void)attr; return 0; }
int pthread_rwlockattr_setkind_np(int *attr, int kind) { return set(attr, kind, 2); }
int pthread_rwlockattr_getkind_np(const int *attr, int *kind) { return get(attr, kind); }
int pthread_rwlockattr_setpshared(int *attr, int shared) { return set(&attr[1], shared, 1); }
int pthread_rwlockattr_getpshared(const int *attr, int *shared) { return get(&attr[1], shared); }

int pthread_barrierattr_init(int *attr) { *attr = 0; return 0; }
int pthread_barrierattr_destroy(int *attr) { (void)attr; return 0; }
int pthread_barrierattr_setpshared(int *attr, int shared) { return set(attr, shared, 1); }
int pthread_barrierattr_getpshared(const int *attr, int *shared) { return get(attr, shared); }

static int concurrency;
int pthread_setconcurrency(int level)
{
    if (level < 0)
        return EINVAL;
    __atomic_store_n(&concurrency, level, __ATOMIC_RELAXED);
    return 0;
}
int pthread_getconcurrency(void) { return __atomic_load_n(&concurrency, __ATOMIC_RELAXED); }
int pthread_setname_np(unsigned long thread, const char *name)
{
    (void)thread;
    return strlen(name) > LONGEST_NAME ? ERANGE : 0;
}

/* Nobody is ever cancelled: pthread_cancel is not modelled. */

static __thread int cancel_state;
static __thread int cancel_type;

static int exchange(int *variable, int value, int *old)
{
    int before = *variable;
    if (value != 0 && value != 1)
        return EINVAL;
    *variable = value;
    if (old)
        *old = before;
    return 0;
}

int pthread_setcancelstate(int state, int *old) { return exchange(&cancel_state, state, old); }
int pthread_setcanceltype(int type, int *old) { return exchange(&cancel_type, type, old); }
void pthread_testcancel(void) {}
