/*
 * scanf: reading formatted text in the C locale, from a string or from a stream (stdio_scan_stream.c).
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
    struct sleave_text text; /* what is left */
    int binary_prefix;
    va_list arguments;
    struct sleave_stores *stores; /* null: it is stored at once */
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
    while (sleave_is_space(sleave_peek(&scan->text, 0)))
        sleave_advance(&scan->text, 1);
}

static struct sleave_text field(const struct scan *scan, const struct specification *specification)
{
    struct sleave_text text = scan->text;
    text.remaining = specification->width == 0 ? SLEAVE_UNLIMITED : specification->width;
    return text;
}

/* Integers. */

void __sleave_store(const struct sleave_store *store)
{
    if (store->word != NULL) {
        char *to = store->to;
        for (size_t i = 0; i < store->size; i++)
            to[i] = store->word[i];
        if (store->has_end)
            to[store->size] = 0;
        return;
    }
    switch (store->size) {
    case 1:
        *(unsigned char *)store->to = (unsigned char)store->value.integer;
        break;
    case 2:
        *(unsigned short *)store->to = (unsigned short)store->value.integer;
        break;
    case 4:
        *(unsigned *)store->to = (unsigned)store->value.integer;
        break;
    default:
        *(unsigned long long *)store->to = store->value.integer;
        break;
    }
}

static void put(struct scan *scan, struct sleave_store store)
{
    if (scan->stores == NULL) {
        __sleave_store(&store);
        return;
    }
    if (scan->stores->count == SLEAVE_STORES)
        __sleave_unsupported("scanf with more than 16 conversions");
    scan->stores->list[scan->stores->count++] = store;
}

static void put_value(struct scan *scan, size_t size, unsigned long long value)
{
    struct sleave_store store = {.to = va_arg(scan->arguments, void *), .size = size, .value.integer = value};
    put(scan, store);
}

static void store_integer(struct scan *scan, enum length length, unsigned long long value)
{
    switch (length) {
    case LENGTH_CHAR:
        put_value(scan, sizeof(char), value);
        break;
    case LENGTH_SHORT:
        put_value(scan, sizeof(short), value);
        break;
    case LENGTH_INT:
        put_value(scan, sizeof(int), value);
        break;
    case LENGTH_LONG:
        put_value(scan, sizeof(long), value);
        break;
    case LENGTH_LONG_LONG:
    case LENGTH_LONG_DOUBLE: /* glibc takes %Ld for %lld */
        put_value(scan, sizeof(long long), value);
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
    if (sleave_is_at_end(&scan->text))
        return END_OF_INPUT;
    struct sleave_text text = field(scan, specification);
    unsigned long long value =
        __sleave_parse_integer(&text, base, scan->binary_prefix, range_of(specification->length, is_signed));
    if (text.at == scan->text.at || is_bare_prefix(&text, scan->text.at, base))
        return MISMATCH;
    scan->text.at = text.at;
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
    sleave_advance(&scan->text, length);
    if (!specification->suppressed)
        put_value(scan, sizeof(void *), 0);
    return MATCHED;
}

/* Floating-point numbers. */

static enum outcome scan_float(struct scan *scan, const struct specification *specification)
{
    int is_double = specification->length == LENGTH_LONG;
    if (specification->length == LENGTH_LONG_DOUBLE)
        __sleave_unsupported("scanf of a long double");
    skip_space(scan);
    if (sleave_is_at_end(&scan->text))
        return END_OF_INPUT;
    struct sleave_text text = field(scan, specification);
    double value = __sleave_parse_double(&text, is_double ? &__sleave_format_double : &__sleave_format_float);
    if (text.at == scan->text.at)
        return MISMATCH;
    scan->text.at = text.at;
    if (specification->suppressed)
        return MATCHED;
    struct sleave_store store = {.to = va_arg(scan->arguments, void *), .size = is_double ? sizeof(double) : sizeof(float)};
    if (is_double)
        store.value.number = value;
    else
        store.value.single = (float)value;
    put(scan, store);
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
    if (sleave_is_at_end(&scan->text))
        return END_OF_INPUT;
    struct sleave_text text = field(scan, specification);
    void *to = specification->suppressed ? NULL : va_arg(scan->arguments, void *);
    while (!sleave_is_at_end(&text) && is_in_set(sleave_peek(&text, 0), set))
        sleave_advance(&text, 1);
    if (text.at == scan->text.at)
        return MISMATCH;
    struct sleave_store store = {.to = to, .word = scan->text.at, .size = (size_t)(text.at - scan->text.at), .has_end = 1};
    scan->text.at = text.at;
    if (to != NULL)
        put(scan, store);
    return MATCHED;
}

static enum outcome scan_characters(struct scan *scan, const struct specification *specification)
{
    if (specification->length == LENGTH_LONG)
        __sleave_unsupported("scanf of wide characters");
    if (sleave_is_at_end(&scan->text))
        return END_OF_INPUT;
    struct sleave_store store = {.word = scan->text.at};
    if (!specification->suppressed)
        store.to = va_arg(scan->arguments, void *);
    size_t count = specification->width == 0 ? 1 : specification->width;
    for (; count > 0 && !sleave_is_at_end(&scan->text); count--)
        sleave_advance(&scan->text, 1);
    store.size = (size_t)(scan->text.at - store.word);
    if (store.to != NULL)
        put(scan, store);
    return MATCHED;
}

static enum outcome scan_literal(struct scan *scan, char literal)
{
    if (sleave_is_at_end(&scan->text))
        return END_OF_INPUT;
    if (sleave_peek(&scan->text, 0) != (unsigned char)literal)
        return MISMATCH;
    sleave_advance(&scan->text, 1);
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
        store_integer(scan, specification->length, (unsigned long long)(scan->text.at - scan->start));
        return MATCHED;
    case '%':
        skip_space(scan);
        return scan_literal(scan, '%');
    default:
        __sleave_unsupported("conversion of scanf");
    }
}

int __sleave_scan(struct sleave_text *text, const char *format, va_list arguments, int binary_prefix, struct sleave_stores *stores)
{
    struct scan scan;
    scan.start = text->at;
    scan.text = *text;
    scan.binary_prefix = binary_prefix;
    scan.stores = stores;
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
    text->at = scan.text.at;
    return outcome == END_OF_INPUT && assigned == 0 ? -1 : assigned;
}

static int scan_text(const char *input, const char *format, va_list arguments, int binary_prefix)
{
    struct sleave_text text = {.at = input, .remaining = SLEAVE_UNLIMITED};
    return __sleave_scan(&text, format, arguments, binary_prefix, NULL);
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
