/*
 * What C++ code needs of its runtime libraries: static guards and exceptions. The names of functions of namespace std are
 * the mangled ones.
 */
#include "sleave_runtime.h"

int __sleave_once_enter(void *control);
void __sleave_once_leave(void *control);
_Noreturn void _ZSt9terminatev(void);
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

/*
 * Exceptions. What a landing pad gets, and the machine knows, is the inner structure: it puts what the handler is to see into `adjusted`.
 * Compilers rely on the object being 32 bytes after it.
 *
 * An exception that is thrown through a std::exception_ptr is another one that shares the object of the first.
 */

struct exception {
    void *object;
    void *adjusted;
    void *type_info;
    void (*destructor)(void *);
} __attribute__((aligned(16)));

#define EXCEPTION_BYTES 32

struct header {
    struct header *next; /* of those that this thread is handling */
    long handlers; /* that are handling it; negative while it is thrown again */
    long references; /* by exception pointers and exceptions that share the object */
    struct header *primary; /* that the object belongs to */
    struct exception exception;
    char padding[EXCEPTION_BYTES - sizeof(struct exception)];
};

static __thread struct header *caught;
static __thread int uncaught;

_Noreturn void __sleave_throw(struct exception *exception);

static struct header *header_of(void *object)
{
    return (struct header *)object - 1;
}

static struct header *header_of_exception(struct exception *exception)
{
    return (struct header *)((char *)exception - offsetof(struct header, exception));
}

static struct header *new_exception(size_t size)
{
    struct header *header = __sleave_malloc(sizeof *header + size);
    memset(header, 0, sizeof *header);
    header->primary = header;
    header->exception.object = header + 1;
    header->references = 1;
    return header;
}

static void release(struct header *header)
{
    struct header *primary = header->primary;
    if (primary != header)
        free(header);
    if (__atomic_sub_fetch(&primary->references, 1, __ATOMIC_ACQ_REL) == 0) {
        if (primary->exception.destructor)
            primary->exception.destructor(primary + 1);
        free(primary);
    }
}

void *__cxa_allocate_exception(size_t size)
{
    return new_exception(size) + 1;
}

void __cxa_free_exception(void *object)
{
    free(header_of(object));
}

void *__cxa_init_primary_exception(void *object, void *type_info, void (*destructor)(void *))
{
    struct header *header = header_of(object);
    header->exception.type_info = type_info;
    header->exception.destructor = destructor;
    header->references = 0;
    return header;
}

_Noreturn void __cxa_throw(void *object, void *type_info, void (*destructor)(void *))
{
    struct header *header = header_of(object);
    header->exception.type_info = type_info;
    header->exception.destructor = destructor;
    uncaught++;
    __sleave_throw(&header->exception);
}

void *__cxa_begin_catch(struct exception *exception)
{
    struct header *header = header_of_exception(exception);
    header->handlers = header->handlers < 0 ? 1 - header->handlers : header->handlers + 1;
    uncaught--;
    if (caught != header) {
        header->next = caught;
        caught = header;
    }
    return exception->adjusted;
}

void *__cxa_get_exception_ptr(struct exception *exception)
{
    return exception->adjusted;
}

void __cxa_end_catch(void)
{
    struct header *header = caught;
    if (!header)
        return;
    if (header->handlers < 0) {
        if (++header->handlers == 0)
            caught = header->next;
    } else if (--header->handlers == 0) {
        caught = header->next;
        release(header);
    }
}

_Noreturn void __cxa_rethrow(void)
{
    struct header *header = caught;
    if (!header)
        _ZSt9terminatev();
    header->handlers = -header->handlers;
    uncaught++;
    __sleave_throw(&header->exception);
}

void *__cxa_current_exception_type(void)
{
    return caught ? caught->exception.type_info : (void *)0;
}

_Noreturn void __cxa_call_unexpected(void *exception)
{
    (void)exception;
    _ZSt9terminatev();
}

_Noreturn void __cxa_call_terminate(void *exception)
{
    (void)exception;
    _ZSt9terminatev();
}

/* std::uncaught_exceptions(), std::uncaught_exception() */
int _ZSt19uncaught_exceptionsv(void) { return uncaught; }
_Bool _ZSt18uncaught_exceptionv(void) { return uncaught > 0; }

/* std::exception_ptr: a pointer to the object. */

/* exception_ptr::_M_addref(), _M_release(), exception_ptr(void *), exception_ptr(const exception_ptr &), ~exception_ptr() */

void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **pointer)
{
    if (*pointer)
        __atomic_add_fetch(&header_of(*pointer)->references, 1, __ATOMIC_ACQ_REL);
}

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **pointer)
{
    if (*pointer) {
        release(header_of(*pointer));
        *pointer = (void *)0;
    }
}

void _ZNSt15__exception_ptr13exception_ptrC1EPv(void **pointer, void *object)
{
    *pointer = object;
    _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(pointer);
}

void _ZNSt15__exception_ptr13exception_ptrC2EPv(void **pointer, void *object)
{
    _ZNSt15__exception_ptr13exception_ptrC1EPv(pointer, object);
}

void *_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv(void **pointer)
{
    return *pointer ? header_of(*pointer)->exception.type_info : (void *)0;
}

/* std::current_exception(): the result is where the first argument says. */
void _ZSt17current_exceptionv(void **result)
{
    _ZNSt15__exception_ptr13exception_ptrC1EPv(result, caught ? caught->exception.object : (void *)0);
}

/* std::rethrow_exception(std::exception_ptr): the argument is passed by address. */
_Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer)
{
    struct header *primary = header_of(*pointer);
    struct header *header = new_exception(0);
    header->primary = primary;
    header->exception.object = primary + 1;
    header->exception.type_info = primary->exception.type_info;
    __atomic_add_fetch(&primary->references, 1, __ATOMIC_ACQ_REL);
    uncaught++;
    __sleave_throw(&header->exception);
}
