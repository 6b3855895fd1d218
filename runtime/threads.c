/*
 * The part of pthreads that needs no scheduler: how a thread begins and ends, once routines, keys, attributes. What blocks or is seen by
 * other threads is a shim of the machine.
 */
#include "sleave_runtime.h"

#define EAGAIN 11
#define MAX_KEYS 32
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

/* Keys: destructors are the program's, values the thread's. A lock guards the table, since keys may be made concurrently. */

static struct {
    int used;
    void (*destructor)(void *);
} keys[MAX_KEYS];

static __thread void *values[MAX_KEYS];
/* Most threads use none: then there is nothing to look through at their end. */
int __sleave_uses_thread_locals(void);

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    int result = EAGAIN;
    __VERIFIER_atomic_begin();
    for (unsigned i = 0; i < MAX_KEYS; i++) {
        if (!keys[i].used) {
            keys[i].used = 1;
            keys[i].destructor = destructor;
            *key = i;
            result = 0;
            break;
        }
    }
    __VERIFIER_atomic_end();
    return result;
}

int pthread_key_delete(unsigned key)
{
    if (key >= MAX_KEYS || !keys[key].used)
        return EINVAL;
    keys[key].used = 0;
    return 0;
}

void *pthread_getspecific(unsigned key)
{
    return key < MAX_KEYS ? values[key] : (void *)0;
}

int pthread_setspecific(unsigned key, const void *value)
{
    if (key >= MAX_KEYS)
        return EINVAL;
    values[key] = (void *)value;
    return 0;
}

static void destroy_values(void)
{
    for (int round = 0; round < DESTRUCTOR_ITERATIONS; round++) {
        int found = 0;
        for (unsigned i = 0; i < MAX_KEYS; i++) {
            void *value = values[i];
            if (value && keys[i].used && keys[i].destructor) {
                found = 1;
                values[i] = (void *)0;
                keys[i].destructor(value);
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

/* Attributes. Of a thread's, only being detached matters: the first int. Of a mutex's, only the kind. */

int pthread_attr_init(int *attr) { *attr = 0; return 0; }
int pthread_attr_destroy(int *attr) { (void)attr; return 0; }
int pthread_attr_setdetachstate(int *attr, int state)
{
    if (state != 0 && state != 1)
        return EINVAL;
    *attr = state;
    return 0;
}
int pthread_attr_getdetachstate(const int *attr, int *state) { *state = *attr; return 0; }
int pthread_attr_setstacksize(int *attr, size_t size) { (void)attr; (void)size; return 0; }
int pthread_attr_getstacksize(const int *attr, size_t *size) { (void)attr; *size = 8 << 20; return 0; }
int pthread_attr_setscope(int *attr, int scope) { (void)attr; (void)scope; return 0; }
int pthread_attr_setguardsize(int *attr, size_t size) { (void)attr; (void)size; return 0; }
int pthread_attr_setschedpolicy(int *attr, int policy) { (void)attr; (void)policy; return 0; }
int pthread_attr_setinheritsched(int *attr, int inherit) { (void)attr; (void)inherit; return 0; }
int pthread_attr_setschedparam(int *attr, const void *param) { (void)attr; (void)param; return 0; }

int pthread_mutexattr_init(int *attr) { *attr = 0; return 0; }
int pthread_mutexattr_destroy(int *attr) { (void)attr; return 0; }
int pthread_mutexattr_settype(int *attr, int kind)
{
    if (kind < 0 || kind > 3)
        return EINVAL;
    *attr = kind;
    return 0;
}
int pthread_mutexattr_gettype(const int *attr, int *kind) { *kind = *attr; return 0; }
/* As the two were called before POSIX had them. */
int pthread_mutexattr_setkind_np(int *attr, int kind) { return pthread_mutexattr_settype(attr, kind); }
int pthread_mutexattr_getkind_np(const int *attr, int *kind) { return pthread_mutexattr_gettype(attr, kind); }
int pthread_mutexattr_setpshared(int *attr, int shared) { (void)attr; (void)shared; return 0; }
int pthread_mutexattr_setprotocol(int *attr, int protocol) { (void)attr; (void)protocol; return 0; }
int pthread_mutexattr_setrobust(int *attr, int robust)
{
    (void)attr;
    if (robust)
        __sleave_unsupported("robust mutexes");
    return 0;
}

int pthread_condattr_init(int *attr) { *attr = 0; return 0; }
int pthread_condattr_destroy(int *attr) { (void)attr; return 0; }
int pthread_condattr_setclock(int *attr, int clock) { (void)attr; (void)clock; return 0; }
int pthread_condattr_setpshared(int *attr, int shared) { (void)attr; (void)shared; return 0; }
int pthread_rwlockattr_init(int *attr) { *attr = 0; return 0; }
int pthread_rwlockattr_destroy(int *attr) { (void)attr; return 0; }
int pthread_barrierattr_init(int *attr) { *attr = 0; return 0; }
int pthread_barrierattr_destroy(int *attr) { (void)attr; return 0; }

int pthread_setconcurrency(int level) { (void)level; return 0; }
int pthread_getconcurrency(void) { return 0; }
int pthread_setname_np(unsigned long thread, const char *name) { (void)thread; (void)name; return 0; }
int pthread_setcancelstate(int state, int *old) { (void)state; if (old) *old = 0; return 0; }
int pthread_setcanceltype(int type, int *old) { (void)type; if (old) *old = 0; return 0; }
void pthread_testcancel(void) {}
