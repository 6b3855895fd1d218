/* C11 threads.h on top of pthreads, as glibc has it: the types have the same layout. */
#include "sleave_runtime.h"

enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain, mtx_recursive, mtx_timed };

#define EBUSY 16
#define ETIMEDOUT 110

int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
int pthread_detach(unsigned long);
_Noreturn void pthread_exit(void *);
unsigned long pthread_self(void);
int pthread_mutex_init(void *, const int *);
int pthread_mutex_lock(void *);
int pthread_mutex_trylock(void *);
int pthread_mutex_timedlock(void *, const void *);
int pthread_mutex_unlock(void *);
int pthread_mutex_destroy(void *);
int pthread_cond_init(void *, const void *);
int pthread_cond_wait(void *, void *);
int pthread_cond_timedwait(void *, void *, const void *);
int pthread_cond_signal(void *);
int pthread_cond_broadcast(void *);
int pthread_cond_destroy(void *);
int pthread_once(void *, void (*)(void));
int pthread_key_create(unsigned *, void (*)(void *));
int pthread_key_delete(unsigned);
void *pthread_getspecific(unsigned);
int pthread_setspecific(unsigned, const void *);

static int result(int code)
{
    switch (code) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

/* An int(*)(void *) is called as a void *(*)(void *): the machine takes the low bits of what it returns. */
int thrd_create(unsigned long *thread, int (*function)(void *), void *arg)
{
    return result(pthread_create(thread, (void *)0, (void *(*)(void *))(void *)function, arg));
}

int thrd_join(unsigned long thread, int *code)
{
    void *value;
    int error = pthread_join(thread, &value);
    if (error == 0 && code)
        *code = (int)(long)value;
    return result(error);
}

int thrd_detach(unsigned long thread) { return result(pthread_detach(thread)); }
unsigned long thrd_current(void) { return pthread_self(); }
int thrd_equal(unsigned long left, unsigned long right) { return left == right; }
_Noreturn void thrd_exit(int code) { pthread_exit((void *)(long)code); }

int mtx_init(void *mutex, int type)
{
    int kind = type & mtx_recursive ? 1 : 0;
    return result(pthread_mutex_init(mutex, &kind));
}

int mtx_lock(void *mutex) { return result(pthread_mutex_lock(mutex)); }
int mtx_trylock(void *mutex) { return result(pthread_mutex_trylock(mutex)); }
int mtx_timedlock(void *mutex, const void *time) { return result(pthread_mutex_timedlock(mutex, time)); }
int mtx_unlock(void *mutex) { return result(pthread_mutex_unlock(mutex)); }
void mtx_destroy(void *mutex) { pthread_mutex_destroy(mutex); }

int cnd_init(void *condition) { return result(pthread_cond_init(condition, (void *)0)); }
int cnd_wait(void *condition, void *mutex) { return result(pthread_cond_wait(condition, mutex)); }
int cnd_timedwait(void *condition, void *mutex, const void *time)
{
    return result(pthread_cond_timedwait(condition, mutex, time));
}
int cnd_signal(void *condition) { return result(pthread_cond_signal(condition)); }
int cnd_broadcast(void *condition) { return result(pthread_cond_broadcast(condition)); }
void cnd_destroy(void *condition) { pthread_cond_destroy(condition); }

void call_once(void *flag, void (*function)(void)) { pthread_once(flag, function); }

int tss_create(unsigned *key, void (*destructor)(void *)) { return result(pthread_key_create(key, destructor)); }
void tss_delete(unsigned key) { pthread_key_delete(key); }
void *tss_get(unsigned key) { return pthread_getspecific(key); }
int tss_set(unsigned key, void *value) { return result(pthread_setspecific(key, value)); }
