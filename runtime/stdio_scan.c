/*
 * sscanf: reading formatted text from a string, in the C locale.
 *
 * Not supported, and reported as `unknown` when reached: wide characters, long double, allocation (%ms), arguments by position (%1$d).
 * A number that does not fit is undefined in C; here it is clipped to long and then cut to the type, as in glibc.
 *
 * Half a number: C says that scanf fails on "0xg", because 0x is the beginning of a number and cannot be put back. Integers do so here
 * (and in glibc since its bug 12701 was closed). A floating-point number simply ends where strtod would end it: "1ex" gives 1.
 */
#include "sleave_runtime.h"

/* The types that a length modifier can name. */
enum length { LENGTH_CHAR, LENGTH_SHORT, LENGTH_INT, LENGTH_LONG, LENGTH_LONG_LONG, LENGTH_LONG_DOUBLE };

struct scan {
    const char *start;
    const char *at; /* in the input */
    int binary_prefix;
    va_list arguments;
};

/* A conversion specification, without the character that names the conversion. */
struct specification {
    int suppressed;
    size_t width; /* 0 if none is given */
    enum length length;
};

enum outcome { MATCHED, MISMATCH, END_OF_INPUT };

/* Reads flags, width and length modifier behind the %; returns the place of the conversion character. */
static const char *read_specification(const char *format, struct specification *specification)
{
    specification->suppressed = *format == '*';
    format += specification->suppressed;
    specification->width = 0;
    while (sleave_is_digit(*format))
        specification->width = specification->width * 10 + (size_t)(*format++ - '0');
    specification->length = LENGTH_INT;
    switch (*format) {
    case 'h':
        specification->length = format[1] == 'h' ? LENGTH_CHAR : LENGTH_SHORT;
        return format + (format[1] == 'h' ? 2 : 1);
    case 'l':
        specification->length = format[1] == 'l' ? LENGTH_LONG_LONG : LENGTH_LONG;
        return format + (format[1] == 'l' ? 2 : 1);
    case 'q':
    case 'j':
        specification->length = LENGTH_LONG_LONG;
        return format + 1;
    case 'z':
    case 't':
        specification->length = sizeof(size_t) == sizeof(long) ? LENGTH_LONG : LENGTH_INT;
        return format + 1;
    case 'L':
        specification->length = LENGTH_LONG_DOUBLE;
        return format + 1;
    default:
        return format;
    }
}

static void skip_space(struct scan *scan)
{
    while (sleave_is_space((unsigned char)*scan->at))
        scan->at++;
}

static struct sleave_text field(const struct scan *scan, const struct specification *specification)
{
    struct sleave_text text = {scan->at, specification->width == 0 ? SLEAVE_UNLIMITED : specification->width};
    return text;
}

/* Integers. */

static void store_integer(struct scan *scan, enum length length, unsigned long long value)
{
    switch (length) {
    case LENGTH_CHAR:
        *va_arg(scan->arguments, unsigned char *) = (unsigned char)value;
        break;
    case LENGTH_SHORT:
        *va_arg(scan->arguments, unsigned short *) = (unsigned short)value;
        break;
    case LENGTH_INT:
        *va_arg(scan->arguments, unsigned *) = (unsigned)value;
        break;
    case LENGTH_LONG:
        *va_arg(scan->arguments, unsigned long *) = (unsigned long)value;
        break;
    case LENGTH_LONG_LONG:
    case LENGTH_LONG_DOUBLE: /* glibc takes %Ld for %lld */
        *va_arg(scan->arguments, unsigned long long *) = value;
        break;
    }
}

static const struct sleave_integer_range *range_of(enum length length, int is_signed)
{
    if (length == LENGTH_LONG_LONG || length == LENGTH_LONG_DOUBLE)
        return is_signed ? &__sleave_range_long_long : &__sleave_range_unsigned_long_long;
    return is_signed ? &__sleave_range_long : &__sleave_range_unsigned_long;
}

/* A prefix without a digit, as in "0xg", is a number for strtol but not for scanf, which cannot put two characters back. */
static int is_bare_prefix(const struct sleave_text *text, const char *start, int base)
{
    return (base == 0 || base == 16) && text->at != start && text->at[-1] == '0' &&
           (text->at - start == 1 || (text->at - start == 2 && !sleave_is_digit((unsigned char)*start))) &&
           sleave_lower(sleave_peek(text, 0)) == 'x';
}

static enum outcome scan_integer(struct scan *scan, const struct specification *specification, int base, int is_signed)
{
    skip_space(scan);
    if (*scan->at == 0)
        return END_OF_INPUT;
    struct sleave_text text = field(scan, specification);
    unsigned long long value =
        __sleave_parse_integer(&text, base, scan->binary_prefix, range_of(specification->length, is_signed));
    if (text.at == scan->at || is_bare_prefix(&text, scan->at, base))
        return MISMATCH;
    scan->at = text.at;
    if (!specification->suppressed)
        store_integer(scan, specification->length, value);
    return MATCHED;
}

static enum outcome scan_pointer(struct scan *scan, const struct specification *specification)
{
    static const char null_pointer[] = "(nil)"; /* as printf shows it */
    struct specification as_integer = *specification;
    as_integer.length = sizeof(void *) == sizeof(long) ? LENGTH_LONG : LENGTH_LONG_LONG;
    skip_space(scan);
    struct sleave_text text = field(scan, specification);
    size_t length = 0;
    while (null_pointer[length] != 0 && sleave_lower(sleave_peek(&text, length)) == null_pointer[length])
        length++;
    if (null_pointer[length] != 0)
        return scan_integer(scan, &as_integer, 16, 0);
    scan->at += length;
    if (!specification->suppressed)
        *va_arg(scan->arguments, void **) = NULL;
    return MATCHED;
}

/* Floating-point numbers. */

static enum outcome scan_float(struct scan *scan, const struct specification *specification)
{
    int is_double = specification->length == LENGTH_LONG;
    if (specification->length == LENGTH_LONG_DOUBLE)
        __sleave_unsupported("scanf of a long double");
    skip_space(scan);
    if (*scan->at == 0)
        return END_OF_INPUT;
    struct sleave_text text = field(scan, specification);
    double value = __sleave_parse_double(&text, is_double ? &__sleave_format_double : &__sleave_format_float);
    if (text.at == scan->at)
        return MISMATCH;
    scan->at = text.at;
    if (specification->suppressed)
        return MATCHED;
    if (is_double)
        *va_arg(scan->arguments, double *) = value;
    else
        *va_arg(scan->arguments, float *) = (float)value;
    return MATCHED;
}

/* Characters. */

/* The text between [ and ], without the ^. */
struct character_set {
    const char *first;
    const char *end;
    int inverted;
};

static int is_in_set(unsigned char c, const struct character_set *set)
{
    int found = 0;
    for (const char *at = set->first; at != set->end; at++) {
        unsigned char low = (unsigned char)*at, high = low;
        if (set->end - at > 2 && at[1] == '-') {
            high = (unsigned char)at[2];
            at += 2;
        }
        found |= (low <= c) & (c <= high);
    }
    return found ^ set->inverted;
}

/* Reads a set behind its [; returns the place of the closing bracket, or of the end of the format. */
static const char *read_set(const char *format, struct character_set *set)
{
    set->inverted = *format == '^';
    format += set->inverted;
    set->first = format;
    if (*format == ']')
        format++;
    while (*format != 0 && *format != ']')
        format++;
    set->end = format;
    return format;
}

/* A word of %s is what is not in the set of white space. */
static const char white_space[] = " \t\n\v\f\r";
static const struct character_set not_white_space = {white_space, white_space + sizeof white_space - 1, 1};

static enum outcome scan_word(struct scan *scan, const struct specification *specification, const struct character_set *set)
{
    if (specification->length == LENGTH_LONG)
        __sleave_unsupported("scanf of wide characters");
    if (*scan->at == 0)
        return END_OF_INPUT;
    struct sleave_text text = field(scan, specification);
    char *word = specification->suppressed ? NULL : va_arg(scan->arguments, char *);
    for (; sleave_peek(&text, 0) != 0 && is_in_set(sleave_peek(&text, 0), set); sleave_advance(&text, 1))
        if (word != NULL)
            *word++ = *text.at;
    if (text.at == scan->at)
        return MISMATCH;
    scan->at = text.at;
    if (word != NULL)
        *word = 0;
    return MATCHED;
}

static enum outcome scan_characters(struct scan *scan, const struct specification *specification)
{
    if (specification->length == LENGTH_LONG)
        __sleave_unsupported("scanf of wide characters");
    if (*scan->at == 0)
        return END_OF_INPUT;
    char *to = specification->suppressed ? NULL : va_arg(scan->arguments, char *);
    size_t count = specification->width == 0 ? 1 : specification->width;
    for (; count > 0 && *scan->at != 0; count--, scan->at++)
        if (to != NULL)
            *to++ = *scan->at;
    return MATCHED;
}

static enum outcome scan_literal(struct scan *scan, char literal)
{
    if (*scan->at == 0)
        return END_OF_INPUT;
    if (*scan->at != literal)
        return MISMATCH;
    scan->at++;
    return MATCHED;
}

/* Performs the conversion at `*format` and leaves `*format` on its last character. */
static enum outcome convert(struct scan *scan, const struct specification *specification, const char **format)
{
    struct character_set set;
    switch (**format) {
    case 'd':
        return scan_integer(scan, specification, 10, 1);
    case 'i':
        return scan_integer(scan, specification, 0, 1);
    case 'u':
        return scan_integer(scan, specification, 10, 0);
    case 'o':
        return scan_integer(scan, specification, 8, 0);
    case 'x':
    case 'X':
        return scan_integer(scan, specification, 16, 0);
    case 'p':
        return scan_pointer(scan, specification);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        return scan_float(scan, specification);
    case 'c':
        return scan_characters(scan, specification);
    case 's':
        skip_space(scan);
        return scan_word(scan, specification, &not_white_space);
    case '[':
        *format = read_set(*format + 1, &set);
        return scan_word(scan, specification, &set);
    case 'n':
        store_integer(scan, specification->length, (unsigned long long)(scan->at - scan->start));
        return MATCHED;
    case '%':
        skip_space(scan);
        return scan_literal(scan, '%');
    default:
        __sleave_unsupported("conversion of scanf");
    }
}

static int scan_text(const char *input, const char *format, va_list arguments, int binary_prefix)
{
    struct scan scan;
    scan.start = scan.at = input;
    scan.binary_prefix = binary_prefix;
    va_copy(scan.arguments, arguments);
    int assigned = 0;
    enum outcome outcome = MATCHED;
    for (; *format != 0 && outcome == MATCHED; format++) {
        if (sleave_is_space((unsigned char)*format)) {
            skip_space(&scan);
        } else if (*format != '%') {
            outcome = scan_literal(&scan, *format);
        } else {
            struct specification specification;
            format = read_specification(format + 1, &specification);
            char conversion = *format;
            outcome = convert(&scan, &specification, &format);
            assigned += outcome == MATCHED && !specification.suppressed && conversion != 'n' && conversion != '%';
        }
    }
    va_end(scan.arguments);
    return outcome == END_OF_INPUT && assigned == 0 ? -1 : assigned;
}

/* The names that glibc's headers give them in C99 and in C23, which adds the prefix 0b for %i. */

#define SCANNERS(prefix, binary_prefix)                                                                                            \
    int prefix##vsscanf(const char *restrict input, const char *restrict format, va_list arguments)                                \
    {                                                                                                                              \
        return scan_text(input, format, arguments, binary_prefix);                                                                 \
    }                                                                                                                              \
    int prefix##sscanf(const char *restrict input, const char *restrict format, ...)                                               \
    {                                                                                                                              \
        va_list arguments;                                                                                                         \
        va_start(arguments, format);                                                                                               \
        int assigned = scan_text(input, format, arguments, binary_prefix);                                                         \
        va_end(arguments);                                                                                                         \
        return assigned;                                                                                                           \
    }

SCANNERS(, 0)
SCANNERS(__isoc99_, 0)
SCANNERS(__isoc23_, 1)
