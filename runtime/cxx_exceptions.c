/*
 * The standard exception classes of libstdc++, which its headers only declare, and what the headers call to throw them. The names are the
 * mangled ones. Messages belong to one object each; the library shares them, which no program can tell.
 */
#include "sleave_runtime.h"

void *__cxa_allocate_exception(size_t size);
_Noreturn void __cxa_throw(void *object, void *type_info, void (*destructor)(void *));

struct type_info {
    const void *const *table;
    const char *name;
    const void *base;
};

extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[];
extern const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[];

/* A std::string, as far as it is read here. */
struct string {
    char *text;
    size_t length;
    char buffer[16];
};

struct exception {
    const void *const *table;
};

/* std::logic_error, std::runtime_error and what is derived from them */
struct message_exception {
    const void *const *table;
    char *message;
};

static char *copy_text(const char *text, size_t length)
{
    char *copy = __sleave_malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

/* Destructors, table and type info of a class; what() is the function `what`. Deleting an object is the caller's free. */
#define CLASS(name, code, what, destroy, kind, base)                                                                                   \
    const char _ZTSSt##code##name[] = "St" #code #name;                                                                                \
    extern const void *const _ZTVSt##code##name[];                                                                                     \
    const struct type_info _ZTISt##code##name = {kind + 2, _ZTSSt##code##name, base};                                                  \
    void _ZNSt##code##name##D2Ev(void *self) { destroy(self); }                                                                        \
    void _ZNSt##code##name##D1Ev(void *self) { destroy(self); }                                                                        \
    void _ZNSt##code##name##D0Ev(void *self)                                                                                           \
    {                                                                                                                                  \
        destroy(self);                                                                                                                 \
        free(self);                                                                                                                    \
    }                                                                                                                                  \
    const void *const _ZTVSt##code##name[] = {0, &_ZTISt##code##name, (const void *)_ZNSt##code##name##D1Ev,                           \
                                              (const void *)_ZNSt##code##name##D0Ev, (const void *)what};

static void destroy_nothing(void *self)
{
    (void)self;
}

static void destroy_message(void *self)
{
    free(((struct message_exception *)self)->message);
}

/* Classes without data. */

#define PLAIN(name, code, text, kind, base)                                                                                            \
    const char *_ZNKSt##code##name##4whatEv(const void *self)                                                                          \
    {                                                                                                                                  \
        (void)self;                                                                                                                    \
        return text;                                                                                                                   \
    }                                                                                                                                  \
    CLASS(name, code, _ZNKSt##code##name##4whatEv, destroy_nothing, kind, base)

#define DERIVED _ZTVN10__cxxabiv120__si_class_type_infoE

PLAIN(exception, 9, "std::exception", _ZTVN10__cxxabiv117__class_type_infoE, 0)
PLAIN(bad_exception, 13, "std::bad_exception", DERIVED, &_ZTISt9exception)
PLAIN(bad_alloc, 9, "std::bad_alloc", DERIVED, &_ZTISt9exception)
PLAIN(bad_array_new_length, 20, "std::bad_array_new_length", DERIVED, &_ZTISt9bad_alloc)
PLAIN(bad_cast, 8, "std::bad_cast", DERIVED, &_ZTISt9exception)
PLAIN(bad_typeid, 10, "std::bad_typeid", DERIVED, &_ZTISt9exception)
PLAIN(bad_function_call, 17, "bad_function_call", DERIVED, &_ZTISt9exception)
PLAIN(bad_weak_ptr, 12, "bad_weak_ptr", DERIVED, &_ZTISt9exception)

/* Classes with a message, given as text or as std::string. */

#define WITH_MESSAGE(name, code, what, base)                                                                                           \
    CLASS(name, code, what, destroy_message, DERIVED, base)                                                                            \
    void _ZNSt##code##name##C2EPKc(struct message_exception *self, const char *message)                                                \
    {                                                                                                                                  \
        self->table = _ZTVSt##code##name + 2;                                                                                          \
        self->message = copy_text(message, strlen(message));                                                                           \
    }                                                                                                                                  \
    void _ZNSt##code##name##C1EPKc(struct message_exception *self, const char *message)                                                \
    {                                                                                                                                  \
        _ZNSt##code##name##C2EPKc(self, message);                                                                                      \
    }                                                                                                                                  \
    void _ZNSt##code##name##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(struct message_exception *self,                  \
                                                                                      const struct string *message)                    \
    {                                                                                                                                  \
        self->table = _ZTVSt##code##name + 2;                                                                                          \
        self->message = copy_text(message->text, message->length);                                                                     \
    }                                                                                                                                  \
    void _ZNSt##code##name##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(struct message_exception *self,                  \
                                                                                      const struct string *message)                    \
    {                                                                                                                                  \
        _ZNSt##code##name##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(self, message);                                   \
    }

/* Copying: derived classes do it through these. */
#define COPIED(name, code)                                                                                                             \
    const char *_ZNKSt##code##name##4whatEv(const struct message_exception *self) { return self->message; }                            \
    WITH_MESSAGE(name, code, _ZNKSt##code##name##4whatEv, &_ZTISt9exception)                                                           \
    void _ZNSt##code##name##C2ERKS_(struct message_exception *self, const struct message_exception *other)                             \
    {                                                                                                                                  \
        _ZNSt##code##name##C2EPKc(self, other->message);                                                                               \
    }                                                                                                                                  \
    void _ZNSt##code##name##C1ERKS_(struct message_exception *self, const struct message_exception *other)                             \
    {                                                                                                                                  \
        _ZNSt##code##name##C2EPKc(self, other->message);                                                                               \
    }                                                                                                                                  \
    void _ZNSt##code##name##C2EOS_(struct message_exception *self, const struct message_exception *other)                              \
    {                                                                                                                                  \
        _ZNSt##code##name##C2EPKc(self, other->message);                                                                               \
    }                                                                                                                                  \
    void _ZNSt##code##name##C1EOS_(struct message_exception *self, const struct message_exception *other)                              \
    {                                                                                                                                  \
        _ZNSt##code##name##C2EPKc(self, other->message);                                                                               \
    }                                                                                                                                  \
    struct message_exception *_ZNSt##code##name##aSERKS_(struct message_exception *self, const struct message_exception *other)        \
    {                                                                                                                                  \
        char *message = copy_text(other->message, strlen(other->message));                                                             \
        free(self->message);                                                                                                           \
        self->message = message;                                                                                                       \
        return self;                                                                                                                   \
    }                                                                                                                                  \
    struct message_exception *_ZNSt##code##name##aSEOS_(struct message_exception *self, const struct message_exception *other)         \
    {                                                                                                                                  \
        return _ZNSt##code##name##aSERKS_(self, other);                                                                                \
    }

COPIED(logic_error, 11)
COPIED(runtime_error, 13)
WITH_MESSAGE(domain_error, 12, _ZNKSt11logic_error4whatEv, &_ZTISt11logic_error)
WITH_MESSAGE(invalid_argument, 16, _ZNKSt11logic_error4whatEv, &_ZTISt11logic_error)
WITH_MESSAGE(length_error, 12, _ZNKSt11logic_error4whatEv, &_ZTISt11logic_error)
WITH_MESSAGE(out_of_range, 12, _ZNKSt11logic_error4whatEv, &_ZTISt11logic_error)
WITH_MESSAGE(range_error, 11, _ZNKSt13runtime_error4whatEv, &_ZTISt13runtime_error)
WITH_MESSAGE(overflow_error, 14, _ZNKSt13runtime_error4whatEv, &_ZTISt13runtime_error)
WITH_MESSAGE(underflow_error, 15, _ZNKSt13runtime_error4whatEv, &_ZTISt13runtime_error)

/* Error codes. A category's functions: two destructors, name, _M_message, message, default_error_condition, equivalent (twice). */

struct category {
    const void *const *table;
};

struct code {
    int value;
    const struct category *category;
};

static const char *category_name(const struct category *category);

static void no_message(void)
{
    __sleave_unsupported("std::error_category::_M_message");
}

/* Of std::future_errc. */
static const char *future_message(int code)
{
    switch (code) {
    case 1:
        return "Future already retrieved";
    case 2:
        return "Promise already satisfied";
    case 3:
        return "No associated state";
    case 4:
        return "Broken promise";
    default:
        return "Unknown error";
    }
}

/* The result is where the first argument says. */
static void category_message(struct string *result, const struct category *category, int code)
{
    const char *text = category_name(category)[0] == 'f' ? future_message(code) : strerror(code);
    size_t length = strlen(text);
    result->text = length < sizeof result->buffer ? result->buffer : __sleave_malloc(length + 1);
    result->length = length;
    if (result->text != result->buffer)
        *(size_t *)result->buffer = length;
    memcpy(result->text, text, length + 1);
}

const struct category *_ZNSt3_V216generic_categoryEv(void);

static struct code default_condition(const struct category *category, int code)
{
    (void)category;
    return (struct code){code, _ZNSt3_V216generic_categoryEv()};
}

static _Bool code_is_condition(const struct category *category, int code, const struct code *condition)
{
    struct code own = default_condition(category, code);
    return own.value == condition->value && own.category == condition->category;
}

static _Bool is_code(const struct category *category, const struct code *code, int value)
{
    return code->category == category && code->value == value;
}

const char _ZTSNSt3_V214error_categoryE[] = "NSt3_V214error_categoryE";
const struct type_info _ZTINSt3_V214error_categoryE = {_ZTVN10__cxxabiv117__class_type_infoE + 2, _ZTSNSt3_V214error_categoryE, 0};
void _ZNSt3_V214error_categoryD2Ev(void *self) { (void)self; }
void _ZNSt3_V214error_categoryD1Ev(void *self) { (void)self; }

static const void *const category_table[] = {0,
                                             &_ZTINSt3_V214error_categoryE,
                                             (const void *)destroy_nothing,
                                             (const void *)destroy_nothing,
                                             (const void *)category_name,
                                             (const void *)no_message,
                                             (const void *)category_message,
                                             (const void *)default_condition,
                                             (const void *)code_is_condition,
                                             (const void *)is_code};

static const struct category generic = {category_table + 2}, system = {category_table + 2}, future = {category_table + 2};

static const char *category_name(const struct category *category)
{
    return category == &generic ? "generic" : category == &system ? "system" : "future";
}

const struct category *_ZNSt3_V216generic_categoryEv(void) { return &generic; }
const struct category *_ZNSt3_V215system_categoryEv(void) { return &system; }
const struct category *_ZSt15future_categoryv(void) { return &future; }

/* std::system_error and std::future_error: a message and a code */
struct code_exception {
    struct message_exception base;
    struct code code;
};

CLASS(system_error, 12, _ZNKSt13runtime_error4whatEv, destroy_message, DERIVED, &_ZTISt13runtime_error)
CLASS(future_error, 12, _ZNKSt11logic_error4whatEv, destroy_message, DERIVED, &_ZTISt11logic_error)

/* What the headers call. */

#define THROW_PLAIN(name, code)                                                                                                        \
    {                                                                                                                                  \
        struct exception *exception = __cxa_allocate_exception(sizeof *exception);                                                     \
        exception->table = _ZTVSt##code##name + 2;                                                                                     \
        __cxa_throw(exception, (void *)&_ZTISt##code##name, _ZNSt##code##name##D1Ev);                                                  \
    }

_Noreturn void _ZSt21__throw_bad_exceptionv(void) THROW_PLAIN(bad_exception, 13)
_Noreturn void _ZSt17__throw_bad_allocv(void) THROW_PLAIN(bad_alloc, 9)
_Noreturn void _ZSt28__throw_bad_array_new_lengthv(void) THROW_PLAIN(bad_array_new_length, 20)
_Noreturn void __cxa_throw_bad_array_new_length(void) THROW_PLAIN(bad_array_new_length, 20)
_Noreturn void _ZSt16__throw_bad_castv(void) THROW_PLAIN(bad_cast, 8)
_Noreturn void __cxa_bad_cast(void) THROW_PLAIN(bad_cast, 8)
_Noreturn void _ZSt18__throw_bad_typeidv(void) THROW_PLAIN(bad_typeid, 10)
_Noreturn void __cxa_bad_typeid(void) THROW_PLAIN(bad_typeid, 10)
_Noreturn void _ZSt25__throw_bad_function_callv(void) THROW_PLAIN(bad_function_call, 17)

#define THROW(name, code)                                                                                                              \
    {                                                                                                                                  \
        struct message_exception *exception = __cxa_allocate_exception(sizeof *exception);                                             \
        _ZNSt##code##name##C1EPKc(exception, what);                                                                                    \
        __cxa_throw(exception, (void *)&_ZTISt##code##name, _ZNSt##code##name##D1Ev);                                                  \
    }

_Noreturn void _ZSt19__throw_logic_errorPKc(const char *what) THROW(logic_error, 11)
_Noreturn void _ZSt20__throw_domain_errorPKc(const char *what) THROW(domain_error, 12)
_Noreturn void _ZSt24__throw_invalid_argumentPKc(const char *what) THROW(invalid_argument, 16)
_Noreturn void _ZSt20__throw_length_errorPKc(const char *what) THROW(length_error, 12)
_Noreturn void _ZSt20__throw_out_of_rangePKc(const char *what) THROW(out_of_range, 12)
/* The message stays without its numbers: where they are inputs, writing them would take longer than all the rest. */
_Noreturn void _ZSt24__throw_out_of_range_fmtPKcz(const char *what, ...) THROW(out_of_range, 12)
_Noreturn void _ZSt21__throw_runtime_errorPKc(const char *what) THROW(runtime_error, 13)
_Noreturn void _ZSt19__throw_range_errorPKc(const char *what) THROW(range_error, 11)
_Noreturn void _ZSt22__throw_overflow_errorPKc(const char *what) THROW(overflow_error, 14)
_Noreturn void _ZSt23__throw_underflow_errorPKc(const char *what) THROW(underflow_error, 15)

_Noreturn void _ZSt20__throw_system_errori(int code)
{
    struct code_exception *exception = __cxa_allocate_exception(sizeof *exception);
    const char *text = strerror(code);
    exception->base.table = _ZTVSt12system_error + 2;
    exception->base.message = copy_text(text, strlen(text));
    exception->code = (struct code){code, &generic};
    __cxa_throw(exception, (void *)&_ZTISt12system_error, _ZNSt12system_errorD1Ev);
}

_Noreturn void _ZSt20__throw_future_errori(int code)
{
    struct code_exception *exception = __cxa_allocate_exception(sizeof *exception);
    static const char name[] = "std::future_error: ";
    const char *text = future_message(code);
    char *message = __sleave_malloc(sizeof name + strlen(text));
    memcpy(message, name, sizeof name - 1);
    memcpy(message + sizeof name - 1, text, strlen(text) + 1);
    exception->base.table = _ZTVSt12future_error + 2;
    exception->base.message = message;
    exception->code = (struct code){code, &future};
    __cxa_throw(exception, (void *)&_ZTISt12future_error, _ZNSt12future_errorD1Ev);
}

_Noreturn void _ZSt9terminatev(void);

/* A failed assertion of the headers, which Sleave compiles with them on. */
_Noreturn void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *function, const char *condition)
{
    (void)file;
    (void)line;
    (void)function;
    (void)condition;
    _ZSt9terminatev();
}
