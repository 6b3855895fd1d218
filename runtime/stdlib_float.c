/*
 * Floating-point numbers from text: strtod, strtof, atof; decimal, hexadecimal, infinity, nan.
 *
 * Every result is the correctly rounded one (ties to even), for any number of digits and without floating-point arithmetic. A decimal
 * number is held digit by digit and multiplied or divided by powers of two, each step exact, until its integer part has 18 or 19
 * digits; these, as a 64-bit integer with a note whether anything is left behind the point, decide the rounding.
 */
#include "sleave_runtime.h"

const struct sleave_float_format __sleave_format_float = {24, -149, 127};
const struct sleave_float_format __sleave_format_double = {53, -1074, 1023};

/* From a binary integer to a double. */

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int bit_length(uint64_t value)
{
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

/* The double integer * 2^exponent, which must be exact, with integer <= 2^53. */
static double exact_double(uint64_t integer, int exponent)
{
    if (integer == 0)
        return 0;
    int length = bit_length(integer);
    int leading = exponent + length - 1;
    if (leading < -1022)
        return from_bits(integer << (exponent + 1074));
    uint64_t significand = length > 53 ? integer >> (length - 53) : integer << (53 - length);
    return from_bits((significand & (((uint64_t)1 << 52) - 1)) | (uint64_t)(leading + 1023) << 52);
}

/* (integer + something below 1, not 0 if `more`) * 2^exponent, rounded. With `more`, the integer has more than 54 bits. */
static double round_to_format(uint64_t integer, int more, int exponent, const struct sleave_float_format *format)
{
    int dropped = bit_length(integer) - format->precision;
    if (dropped < format->min_exponent - exponent)
        dropped = format->min_exponent - exponent;
    int inexact = more;
    if (dropped > 64) {
        inexact |= integer != 0;
        integer = 0;
        exponent = format->min_exponent;
    } else if (dropped > 0) {
        uint64_t half = (uint64_t)1 << (dropped - 1);
        uint64_t tail = integer & (half | (half - 1));
        integer = dropped == 64 ? 0 : integer >> dropped;
        exponent += dropped;
        inexact |= tail != 0;
        if (tail > half || (tail == half && (more || (integer & 1) != 0)))
            integer++;
    }
    int leading = exponent + bit_length(integer) - 1;
    if (integer != 0 && leading > format->max_exponent) {
        errno = ERANGE;
        return __builtin_inf();
    }
    if (inexact && (integer == 0 || leading < format->min_exponent + format->precision - 1))
        errno = ERANGE;
    return exact_double(integer, exponent);
}

/* Decimal numbers. */

/* Two neighbouring doubles have a midpoint of at most 767 significant digits: digits behind these only break ties. */
#define MAX_DIGITS 800

/* 0.d1d2d3... * 10^point, with d1 not 0; `more` says that digits that are not all 0 were left off at the end. */
struct decimal {
    unsigned char digit[MAX_DIGITS];
    int count;
    int point;
    int more;
};

static void append_digit(struct decimal *decimal, unsigned digit)
{
    if (decimal->count < MAX_DIGITS)
        decimal->digit[decimal->count++] = (unsigned char)digit;
    else
        decimal->more |= digit != 0;
}

static void drop_trailing_zeros(struct decimal *decimal)
{
    while (decimal->count > 0 && decimal->digit[decimal->count - 1] == 0)
        decimal->count--;
}

/* One step shifts at most this far: 10 * 2^59 fits in 64 bits. */
#define MAX_SHIFT 59

static void multiply_by_power_of_two(struct decimal *decimal, int shift)
{
    uint64_t carry = 0;
    for (int i = decimal->count - 1; i >= 0; i--) {
        carry += (uint64_t)decimal->digit[i] << shift;
        decimal->digit[i] = carry % 10;
        carry /= 10;
    }
    unsigned char front[20];
    int added = 0;
    for (; carry > 0; carry /= 10)
        front[added++] = carry % 10;
    while (decimal->count > MAX_DIGITS - added)
        decimal->more |= decimal->digit[--decimal->count] != 0;
    memmove(decimal->digit + added, decimal->digit, (size_t)decimal->count);
    for (int i = 0; i < added; i++)
        decimal->digit[i] = front[added - 1 - i];
    decimal->count += added;
    decimal->point += added;
    drop_trailing_zeros(decimal);
}

static void divide_by_power_of_two(struct decimal *decimal, int shift)
{
    int count = decimal->count;
    uint64_t remainder = 0;
    decimal->count = 0;
    for (int i = 0; i < count || remainder != 0; i++) {
        remainder = remainder * 10 + (i < count ? decimal->digit[i] : 0u);
        unsigned digit = (unsigned)(remainder >> shift);
        remainder &= ((uint64_t)1 << shift) - 1;
        if (digit == 0 && decimal->count == 0)
            decimal->point--;
        else
            append_digit(decimal, digit);
    }
    drop_trailing_zeros(decimal);
}

static double round_decimal(struct decimal *decimal, const struct sleave_float_format *format)
{
    drop_trailing_zeros(decimal);
    if (decimal->count == 0)
        return 0;
    /* 10^310 is beyond the largest double, 10^-330 below half of the smallest: no digits needed. */
    if (decimal->point > 310)
        return round_to_format(1, 0, 2000, format);
    if (decimal->point < -330)
        return round_to_format(1, 0, -2000, format);
    int exponent = 0;
    /* Shifting by three bits moves the point by less than one place, so that neither loop jumps over its goal. */
    while (decimal->point > 19) {
        int shift = 3 * (decimal->point - 19) < MAX_SHIFT ? 3 * (decimal->point - 19) : MAX_SHIFT;
        divide_by_power_of_two(decimal, shift);
        exponent += shift;
    }
    while (decimal->point < 18) {
        int shift = 3 * (18 - decimal->point) < MAX_SHIFT ? 3 * (18 - decimal->point) : MAX_SHIFT;
        multiply_by_power_of_two(decimal, shift);
        exponent -= shift;
    }
    uint64_t integer = 0;
    for (int i = 0; i < decimal->point; i++)
        integer = integer * 10 + (i < decimal->count ? decimal->digit[i] : 0u);
    return round_to_format(integer, decimal->more || decimal->count > decimal->point, exponent, format);
}

/* Syntax. */

/* Skips an exponent that `letter` introduces and returns it; anything else is no part of the number. */
static int read_exponent(struct sleave_text *text, int letter)
{
    if (sleave_lower(sleave_peek(text, 0)) != letter)
        return 0;
    int negative = sleave_peek(text, 1) == '-';
    size_t length = negative || sleave_peek(text, 1) == '+' ? 2 : 1;
    if (!sleave_is_digit(sleave_peek(text, length)))
        return 0;
    int exponent = 0;
    for (sleave_advance(text, length); sleave_is_digit(sleave_peek(text, 0)); sleave_advance(text, 1))
        if (exponent < 100000000)
            exponent = exponent * 10 + (sleave_peek(text, 0) - '0');
    return negative ? -exponent : exponent;
}

static double read_decimal(struct sleave_text *text, const struct sleave_float_format *format)
{
    struct decimal decimal;
    struct sleave_text rest = *text;
    decimal.count = decimal.point = decimal.more = 0;
    int digits = 0, behind_point = 0;
    for (;; sleave_advance(&rest, 1)) {
        unsigned char c = sleave_peek(&rest, 0);
        if (c == '.' && !behind_point) {
            behind_point = 1;
            continue;
        }
        if (!sleave_is_digit(c))
            break;
        digits = 1;
        if (c == '0' && decimal.count == 0) {
            decimal.point -= behind_point;
        } else {
            append_digit(&decimal, c - '0');
            decimal.point += !behind_point;
        }
    }
    if (!digits)
        return 0;
    decimal.point += read_exponent(&rest, 'e');
    *text = rest;
    return round_decimal(&decimal, format);
}

/* Behind the prefix 0x; `text` is unchanged if no digit follows. */
static double read_hexadecimal(struct sleave_text *text, const struct sleave_float_format *format)
{
    struct sleave_text rest = *text;
    uint64_t integer = 0;
    int digits = 0, behind_point = 0, exponent = 0, more = 0;
    for (;; sleave_advance(&rest, 1)) {
        unsigned char c = sleave_peek(&rest, 0);
        if (c == '.' && !behind_point) {
            behind_point = 1;
            continue;
        }
        unsigned digit = sleave_digit_value(c);
        if (digit >= 16)
            break;
        digits = 1;
        if (integer >> 60 == 0) {
            integer = integer * 16 + digit;
            exponent -= 4 * behind_point;
        } else {
            more |= digit != 0;
            exponent += 4 * !behind_point;
        }
    }
    if (!digits)
        return 0;
    exponent += read_exponent(&rest, 'p');
    *text = rest;
    return round_to_format(integer, more, exponent, format);
}

/* Skips `word`, given in lower case, if it comes next in any case. */
static int skip_word(struct sleave_text *text, const char *word)
{
    size_t length = 0;
    for (; word[length] != 0; length++)
        if (sleave_lower(sleave_peek(text, length)) != word[length])
            return 0;
    sleave_advance(text, length);
    return 1;
}

/* The payload in nan(...) is skipped; the result is always the same quiet nan. */
static double read_nan(struct sleave_text *text)
{
    if (sleave_peek(text, 0) == '(') {
        size_t length = 1;
        while (sleave_digit_value(sleave_peek(text, length)) < 36 || sleave_peek(text, length) == '_')
            length++;
        if (sleave_peek(text, length) == ')')
            sleave_advance(text, length + 1);
    }
    return from_bits((uint64_t)0x7ff8 << 48);
}

static double read_magnitude(struct sleave_text *text, const struct sleave_float_format *format)
{
    if (skip_word(text, "nan"))
        return read_nan(text);
    if (skip_word(text, "infinity") || skip_word(text, "inf"))
        return __builtin_inf();
    if (sleave_peek(text, 0) == '0' && sleave_lower(sleave_peek(text, 1)) == 'x') {
        struct sleave_text rest = *text;
        sleave_advance(&rest, 2);
        const char *start = rest.at;
        double value = read_hexadecimal(&rest, format);
        if (rest.at != start) {
            *text = rest;
            return value;
        }
    }
    return read_decimal(text, format);
}

double __sleave_parse_double(struct sleave_text *text, const struct sleave_float_format *format)
{
    struct sleave_text rest = *text;
    while (sleave_is_space(sleave_peek(&rest, 0)))
        sleave_advance(&rest, 1);
    int negative = sleave_peek(&rest, 0) == '-';
    if (negative || sleave_peek(&rest, 0) == '+')
        sleave_advance(&rest, 1);
    const char *start = rest.at;
    double value = read_magnitude(&rest, format);
    if (rest.at == start)
        return 0;
    *text = rest;
    return negative ? -value : value;
}

static double convert(const char *text, char **end, const struct sleave_float_format *format)
{
    struct sleave_text rest = {.at = text, .remaining = SLEAVE_UNLIMITED};
    double value = __sleave_parse_double(&rest, format);
    if (end != NULL)
        *end = (char *)rest.at;
    return value;
}

double strtod(const char *restrict text, char **restrict end)
{
    return convert(text, end, &__sleave_format_double);
}

float strtof(const char *restrict text, char **restrict end)
{
    return (float)convert(text, end, &__sleave_format_float);
}

double atof(const char *text)
{
    return strtod(text, NULL);
}
