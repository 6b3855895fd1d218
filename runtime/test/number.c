/* Numbers from text: value, end and errno against glibc's, on texts that are nearly numbers and on numbers at the edges. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

OURS(strtol); OURS(strtoul); OURS(strtoll); OURS(strtoull); OURS(strtoimax); OURS(strtoumax); OURS(atoi); OURS(atol); OURS(atoll);
OURS(strtod); OURS(strtof); OURS(atof);
long sl___isoc23_strtol(const char *, char **, int);
unsigned long sl___isoc23_strtoul(const char *, char **, int);
long sl___isoc99_strtol(const char *, char **, int);

#define SAME_INTEGER(type, name)                                                                                                   \
    do {                                                                                                                           \
        char *our_end = NULL, *their_end = NULL;                                                                                   \
        errno = 0;                                                                                                                 \
        type our_value = sl_##name(text, &our_end, base);                                                                          \
        int our_error = errno;                                                                                                     \
        errno = 0;                                                                                                                 \
        type their_value = name(text, &their_end, base);                                                                           \
        CHECK(our_value == their_value && our_end == their_end, #name " of '%s' in base %d", text, base);                          \
        CHECK(our_error == errno || their_end == text, #name " of '%s' in base %d: errno %d", text, base, our_error);              \
    } while (0)

static void test_integer(const char *unguarded, int base)
{
    const char *text = guarded(unguarded, 0);
    SAME_INTEGER(long, strtol);
    SAME_INTEGER(unsigned long, strtoul);
    SAME_INTEGER(long long, strtoll);
    SAME_INTEGER(unsigned long long, strtoull);
    SAME_INTEGER(intmax_t, strtoimax);
    SAME_INTEGER(uintmax_t, strtoumax);
    CHECK(sl_atoi(text) == atoi(text), "%s", text);
    CHECK(sl_atol(text) == atol(text), "%s", text);
    CHECK(sl_atoll(text) == atoll(text), "%s", text);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Equal bits, or both nan: the payload is not modelled. */
static int same(double a, double b)
{
    return bits_of(a) == bits_of(b) || (a != a && b != b);
}

static void test_float(const char *unguarded)
{
    const char *text = guarded(unguarded, 0);
    char *our_end, *their_end;
    errno = 0;
    double ours = sl_strtod(text, &our_end);
    int our_error = errno;
    errno = 0;
    double theirs = strtod(text, &their_end);
    CHECK(same(ours, theirs) && our_end == their_end, "strtod of '%s': %a, not %a", text, ours, theirs);
    CHECK(our_error == errno, "strtod of '%s': errno %d, not %d", text, our_error, errno);
    errno = 0;
    float our_float = sl_strtof(text, &our_end);
    our_error = errno;
    errno = 0;
    float their_float = strtof(text, &their_end);
    CHECK(same(our_float, their_float) && our_end == their_end, "strtof of '%s': %a, not %a", text, our_float, their_float);
    CHECK(our_error == errno, "strtof of '%s': errno %d, not %d", text, our_error, errno);
}

static void test_midpoint(double value)
{
    char text[1200];
    /* A double and the midpoint to its neighbour have finite decimal expansions; the midpoint needs one bit more, which long double has. */
    double next = nextafter(value, INFINITY);
    snprintf(text, sizeof text, "%.1100Lg", ((long double)value + (long double)next) / 2);
    test_float(text);
    snprintf(text, sizeof text, "%.17g", value);
    test_float(text);
    snprintf(text, sizeof text, "%a", value);
    test_float(text);
}

int main(void)
{
    const char *integers[] = {"", " ", "-", "+", "0", "-0", "0x", "0x1", "0xg", "-0x8", "08", "0b1", "0b", " \t\n\v\f\r 42x", "--1", "+-1",
        "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "-4294967295", "-4294967296",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999999", "zz", "Zz9", "00", "0x0x1"};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        for (int base = -1; base <= 37; base++)
            test_integer(integers[i], base);
    for (int i = 0; i < 30000; i++) {
        char text[32];
        int bases[] = {0, 2, 8, 10, 16, 36};
        random_text(text, 24, i % 2 ? "0123456789" : "0017 +-xXaAfgz");
        test_integer(text, bases[below(6)]);
    }
    char *end;
    CHECK(sl___isoc23_strtol("0b101", &end, 0) == 5 && *end == 0, "C23");
    CHECK(sl___isoc23_strtol("-0B11", &end, 2) == -3 && *end == 0, "C23");
    CHECK(sl___isoc23_strtol("0b2", &end, 0) == 0 && *end == 'b', "C23");
    CHECK(sl___isoc23_strtoul("0b1", &end, 16) == 0xb1 && *end == 0, "C23");
    CHECK(sl___isoc99_strtol("0b101", &end, 0) == 0 && *end == 'b', "C99");
    CHECK(sl_strtol("7", NULL, 10) == 7, "no end wanted");

    const char *floats[] = {"", ".", "-.", "1", "-1.5", ".5", "5.", "1e", "1e+", "1e5", "1E-5", "0x", "0x.", "0xp1", "0x1p", "0x1p4", "0x.8",
        "0X1.8P+1", "inf", "-INFINITY", "infinit", "nan", "-nan", "nan(12)", "nan(x_1)y", "nan(", "nan(+)", "1e400", "-1e400", "1e-400", "0e999999999999",
        "1e999999999999", "1e-999999999999", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.2250738585072014e-308", "2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623158e308",
        "1.7976931348623159e308", "9007199254740993", "9007199254740992.99999", "9007199254740993.00000000000000000000001",
        "0x1.00000000000008p0", "0x1.000000000000080000000001p0", "0x1.00000000000018p0", "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "0x1p1024",
        "0x123456789abcdef0123456789p-30", "0x0.0000000000000000000000001p0", "1.17549435e-38", "3.4028235e38", "3.4028236e38", "1e-45", "7e-46", "16777217",
        " \t+7", "1.2.3", "1e5e5", "00000000000000000000001", "0.00000000000000000000000000000001", "123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        test_float(floats[i]);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        random_text(text, 30, i % 2 ? "0123456789" : "0123456789.e-+ xp");
        if (i % 2)
            sprintf(text + strlen(text), ".%ue%d", random_bits(), (int)below(700) - 350);
        test_float(text);
    }
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();
        double value;
        if (i % 8 == 0)
            bits &= ((uint64_t)1 << 53) - 1; /* subnormal, or nearly */
        memcpy(&value, &bits, sizeof value);
        if (value == value && fabs(value) < DBL_MAX)
            test_midpoint(value);
    }
    CHECK(sl_atof(" 2.5x") == 2.5, "atof");
    return finish();
}
