/*
 * What the files of the runtime library share: the primitives that the machine provides, the error numbers of Linux, and the number
 * parsers that strtol and scanf have in common.
 *
 * The library includes no system header, so that it compiles for -m32 on a machine that has only the 64-bit ones. Layouts and
 * constants are those of glibc on x86, because programs arrive preprocessed with glibc's headers (test/abi.c compares them).
 */
#ifndef SLEAVE_RUNTIME_H
#define SLEAVE_RUNTIME_H

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Provided by the machine. */

void *malloc(size_t size);
/* For what the real library does not allocate: it never fails. */
void *__sleave_malloc(size_t size);
void free(void *block);
void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *block, int byte, size_t count);
int *__errno_location(void);
int printf(const char *restrict format, ...);
int sched_yield(void);

/* A fresh input of `bits` bits, shown as `name` in a report. */
unsigned long long __sleave_input(const char *name, unsigned bits);
/* An input that is the same whoever asks, and whenever. */
unsigned long long __sleave_fixed_input(const char *name, unsigned bits);
/* Gives up the executions in which `condition` is zero. */
void __sleave_assume(int condition);
/* The number of the calling thread; the first thread has number 0. */
int __sleave_thread_id(void);
/* Ends the execution as `unknown`: the program uses a part of libc that is not modelled. */
_Noreturn void __sleave_unsupported(const char *what);

/* Error numbers of Linux on x86. */

#define errno (*__errno_location())
#define ENOENT 2
#define ENOTTY 25
#define EINVAL 22
#define EDOM 33
#define ERANGE 34

/* Used across files. */

size_t strlen(const char *text);
char *getenv(const char *name);
int strcmp(const char *left, const char *right);
char *strerror(int number);

/*
 * Text that is being read, from `at` on: up to its terminating zero, but no more than `remaining` bytes (scanf's field width). Or, where
 * there is a stream, as far as `has` says; a zero there is a byte like others.
 */
struct sleave_text {
    const char *at;
    size_t remaining;
    int (*has)(void *stream, const char *at);
    void *stream;
};

#define SLEAVE_UNLIMITED SIZE_MAX

/* The byte `ahead` places further, or 0 where the text ends. The bytes before it must not be the end. */
static inline unsigned char sleave_peek(const struct sleave_text *text, size_t ahead)
{
    if (ahead >= text->remaining || (text->stream != NULL && !text->has(text->stream, text->at + ahead)))
        return 0;
    return (unsigned char)text->at[ahead];
}

static inline int sleave_is_at_end(const struct sleave_text *text)
{
    if (text->stream != NULL)
        return text->remaining == 0 || !text->has(text->stream, text->at);
    return sleave_peek(text, 0) == 0;
}

static inline void sleave_advance(struct sleave_text *text, size_t count)
{
    text->at += count;
    text->remaining -= count;
}

/* Character classes of the C locale as single expressions without a branch, so that a symbolic byte does not fork the execution. */
static inline int sleave_is_space(int c)
{
    return (c == ' ') | ((unsigned)c - '\t' < 5u);
}

static inline int sleave_is_digit(int c)
{
    return (unsigned)c - '0' < 10u;
}

static inline int sleave_lower(int c)
{
    return c + (((unsigned)c - 'A' < 26u) << 5);
}

/* The value of a digit in bases up to 36; at least 36 when `c` is no digit in any base. */
static inline unsigned sleave_digit_value(int c)
{
    unsigned decimal = (unsigned)c - '0';
    unsigned letter = (unsigned)sleave_lower(c) - 'a';
    unsigned is_decimal = -(unsigned)(decimal < 10u);
    unsigned is_letter = -(unsigned)(letter < 26u);
    return (is_decimal & decimal) | (is_letter & (letter + 10u)) | (~(is_decimal | is_letter) & 36u);
}

/* The values of an integer type: 0 to `max`, and down to -max-1 if it is signed. */
struct sleave_integer_range {
    unsigned long long max;
    int is_signed;
};

extern const struct sleave_integer_range __sleave_range_long, __sleave_range_unsigned_long, __sleave_range_long_long,
    __sleave_range_unsigned_long_long;

/*
 * Reads an integer as strtol does, white space and sign included, and leaves `text` behind it; `text` is unchanged if there is none.
 * The result wraps to the type that `range` describes. `binary_prefix` allows the 0b of C23.
 */
unsigned long long __sleave_parse_integer(struct sleave_text *text, int base, int binary_prefix,
                                          const struct sleave_integer_range *range);

/* A value or a word that scanf is to store. */
struct sleave_store {
    void *to;
    const char *word; /* null: the value */
    size_t size;      /* of the value, or of the word */
    int has_end;      /* the word is a text: a zero goes behind it */
    union {
        unsigned long long integer;
        float single;
        double number;
        void *pointer;
    } value;
};

#define SLEAVE_STORES 16

/* What is stored later. */
struct sleave_stores {
    unsigned count;
    struct sleave_store list[SLEAVE_STORES];
};

void __sleave_store(const struct sleave_store *store);

/*
 * Reads what the format says, and leaves `text` behind it; how many conversions were stored, or -1 at the end of the text. With `stores`,
 * what is to be stored is put there.
 */
int __sleave_scan(struct sleave_text *text, const char *format, va_list arguments, int binary_prefix, struct sleave_stores *stores);

/* A binary floating-point format: value = integer below 2^precision, times 2^exponent with exponent >= min_exponent. */
struct sleave_float_format {
    int precision;
    int min_exponent;
    int max_exponent; /* of the leading bit */
};

extern const struct sleave_float_format __sleave_format_float, __sleave_format_double;

/* Reads a number as strtod does, rounded to `format`; leaves `text` as __sleave_parse_integer does. */
double __sleave_parse_double(struct sleave_text *text, const struct sleave_float_format *format);

#endif
