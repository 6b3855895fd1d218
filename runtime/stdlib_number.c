/*
 * Integers from text: strtol and its relatives, in every base.
 *
 * One parser serves all types. It multiplies but never divides a value of the program: the bound beyond which a value overflows is
 * computed from base and range, which are constants in practice, so that symbolic digits give terms that a solver likes.
 */
#include "sleave_runtime.h"

const struct sleave_integer_range __sleave_range_long = {LONG_MAX, 1};
const struct sleave_integer_range __sleave_range_unsigned_long = {ULONG_MAX, 0};
const struct sleave_integer_range __sleave_range_long_long = {LLONG_MAX, 1};
const struct sleave_integer_range __sleave_range_unsigned_long_long = {ULLONG_MAX, 0};

/* Whether a prefix of `letter` and a digit of `base` come next; without the digit, the 0 is a number and the letter follows it. */
static int has_prefix(const struct sleave_text *text, int letter, unsigned base)
{
    return sleave_peek(text, 0) == '0' && sleave_lower(sleave_peek(text, 1)) == letter &&
           sleave_digit_value(sleave_peek(text, 2)) < base;
}

/* Settles base 0 and skips a prefix. */
static unsigned read_base(struct sleave_text *text, unsigned base, int binary_prefix)
{
    if ((base == 0 || base == 16) && has_prefix(text, 'x', 16)) {
        sleave_advance(text, 2);
        return 16;
    }
    if (binary_prefix && (base == 0 || base == 2) && has_prefix(text, 'b', 2)) {
        sleave_advance(text, 2);
        return 2;
    }
    if (base == 0)
        return sleave_peek(text, 0) == '0' ? 8 : 10;
    return base;
}

unsigned long long __sleave_parse_integer(struct sleave_text *text, int base, int binary_prefix,
                                          const struct sleave_integer_range *range)
{
    struct sleave_text rest = *text;
    while (sleave_is_space(sleave_peek(&rest, 0)))
        sleave_advance(&rest, 1);
    int negative = sleave_peek(&rest, 0) == '-';
    if (negative || sleave_peek(&rest, 0) == '+')
        sleave_advance(&rest, 1);
    unsigned radix = read_base(&rest, (unsigned)base, binary_prefix);

    unsigned long long limit = range->max + (unsigned)(negative & range->is_signed);
    unsigned long long last_safe = limit / radix;
    unsigned last_digit = (unsigned)(limit % radix);
    unsigned long long value = 0;
    int overflow = 0;
    for (;;) {
        unsigned digit = sleave_digit_value(sleave_peek(&rest, 0));
        if (digit >= radix)
            break;
        overflow |= (value > last_safe) | ((value == last_safe) & (digit > last_digit));
        value = value * radix + digit;
        sleave_advance(&rest, 1);
        *text = rest;
    }
    if (overflow) {
        errno = ERANGE;
        return negative & range->is_signed ? -limit : limit;
    }
    return negative ? -value : value;
}

static unsigned long long convert(const char *text, char **end, int base, int binary_prefix, const struct sleave_integer_range *range)
{
    struct sleave_text rest = {.at = text, .remaining = SLEAVE_UNLIMITED};
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    unsigned long long value = __sleave_parse_integer(&rest, base, binary_prefix, range);
    if (end != NULL)
        *end = (char *)rest.at;
    return value;
}

/* The same type under the name of each standard: __isoc23_ is what glibc's headers since 2.38 call, with the prefix 0b. */
#define CONVERSIONS(type, range, name)                                                                                             \
    type name(const char *restrict text, char **restrict end, int base)                                                            \
    {                                                                                                                              \
        return (type)convert(text, end, base, 0, &range);                                                                          \
    }                                                                                                                              \
    type __isoc99_##name(const char *restrict text, char **restrict end, int base)                                                 \
    {                                                                                                                              \
        return (type)convert(text, end, base, 0, &range);                                                                          \
    }                                                                                                                              \
    type __isoc23_##name(const char *restrict text, char **restrict end, int base)                                                 \
    {                                                                                                                              \
        return (type)convert(text, end, base, 1, &range);                                                                          \
    }

CONVERSIONS(long, __sleave_range_long, strtol)
CONVERSIONS(unsigned long, __sleave_range_unsigned_long, strtoul)
CONVERSIONS(long long, __sleave_range_long_long, strtoll)
CONVERSIONS(unsigned long long, __sleave_range_unsigned_long_long, strtoull)
CONVERSIONS(long long, __sleave_range_long_long, strtoq)
CONVERSIONS(unsigned long long, __sleave_range_unsigned_long_long, strtouq)
CONVERSIONS(intmax_t, __sleave_range_long_long, strtoimax)
CONVERSIONS(uintmax_t, __sleave_range_unsigned_long_long, strtoumax)

int atoi(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

long atol(const char *text)
{
    return strtol(text, NULL, 10);
}

long long atoll(const char *text)
{
    return strtoll(text, NULL, 10);
}
