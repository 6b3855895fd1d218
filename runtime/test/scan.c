/* sscanf: result and every target against glibc's, on random inputs for random formats. */
#define _GNU_SOURCE
#include "check.h"

OURS(sscanf); OURS(vsscanf);
int sl___isoc99_sscanf(const char *, const char *, ...);
int sl___isoc99_vsscanf(const char *, const char *, va_list);
int sl___isoc23_sscanf(const char *, const char *, ...);
int sl___isoc23_vsscanf(const char *, const char *, va_list);

typedef int scanner(const char *, const char *, va_list);

static char ours[3][64], theirs[3][64];

static int call(scanner *scan, const char *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = scan(input, format, arguments);
    va_end(arguments);
    return result;
}

static void test(const char *unguarded, const char *format)
{
    const char *input = guarded(unguarded, 0);
    memset(ours, '#', sizeof ours);
    memset(theirs, '#', sizeof theirs);
    int our_result = call(sl_vsscanf, input, format, ours[0], ours[1], ours[2]);
    int their_result = call(vsscanf, input, format, theirs[0], theirs[1], theirs[2]);
    CHECK(our_result == their_result, "'%s' by '%s': %d, not %d", input, format, our_result, their_result);
    if (our_result == their_result)
        CHECK(memcmp(ours, theirs, sizeof ours) == 0, "'%s' by '%s'", input, format);
}

static void test_random(void)
{
    const char *conversions[] = {"%d", "%i", "%u", "%x", "%o", "%X", "%c", "%s", "%[abc]", "%[^abc]", "%[a-f0-3]", "%[]x]", "%[^]x]",
        "%[a-]", "%n", "%ld", "%lld", "%hd", "%hhd", "%lu", "%llx", "%hu", "%hhx", "%jd", "%zu", "%td", "%p", "%f", "%lf", "%le", "%g",
        "%3d", "%1x", "%4s", "%3c", "%2[a-z]", "%5f", "%10lf", "%*d", "%*s", "%*c", "%*3[a-z]", "%*f", "%%", "%Ld"};
    const char *between[] = {"", " ", ",", "x", "  , "};
    char format[128] = "", input[32];
    for (int i = 0; i < 3; i++)
        sprintf(format + strlen(format), "%s%s", between[below(5)], conversions[below(sizeof conversions / sizeof *conversions)]);
    /* No 0x, 1e or inf broken off in the middle, where C and glibc 2.36 disagree. */
    const char *alphabets[] = {"0123456789 ,-+x", "abcdefg ,x]-", "12 ,.", "1289-\t\n", "%a 1"};
    random_text(input, 24, alphabets[below(5)]);
    if (strstr(input, "0x") != NULL || strstr(input, "0X") != NULL)
        return;
    test(input, format);
}

int main(void)
{
    const char *cases[][2] = {{"", "%d"}, {"   ", "%d"}, {"", "x"}, {"", " %n%d"}, {"", "%n"}, {"x", "%d"}, {"-", "%d"}, {"12 34 56", "%d%d%d"},
        {"12 34", "%d%d%d"}, {"0x1f", "%i"}, {"0x1f", "%x"}, {"-0x1F", "%x"}, {"017", "%i"}, {"0x12345", "%4x%d"}, {"08", "%i%n"},
        {"99999999999999999999", "%d"}, {"-99999999999999999999", "%ld"}, {"99999999999999999999", "%u"}, {"4294967297", "%d"},
        {"70000", "%hd"}, {"300", "%hhu"}, {"a:b", "%[^:]:%s"}, {"]x", "%[]]%c"}, {"a-b", "%[a-]%c"}, {"0x7fff", "%p"}, {"(nil)x", "%p%c"},
        {" (NIL)", "%p"}, {"(ni", "%p"}, {"1.5e3x", "%lf%c"}, {"-.5", "%f"}, {"inf nan", "%f%f"}, {"1e40", "%f"}, {"3.14159", "%4f%n"},
        {"key = value", "%s = %s"}, {"50%", "%d%%%n"}, {"ab", "%5c"}, {"abc", "%2c%c"}, {" a", "%c%c"}, {" a", " %c"}, {"1,2", "%d,%d"},
        {"0x1.8p1", "%lf"}, {"12abc", "%*d%s"}, {"5", "%0d"}, {"127.0.0.1", "%*d.%d.%d.%d"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test(cases[i][0], cases[i][1]);
    for (int i = 0; i < 200000; i++)
        test_random();

    int a = 7, b = 7;
    char word[8];
    CHECK(sl_sscanf("1 two", "%d%7s", &a, word) == 2 && a == 1 && strcmp(word, "two") == 0, "sscanf");
    CHECK(sl___isoc99_sscanf("3", "%d", &a) == 1 && a == 3, "C99");
    CHECK(sl___isoc23_sscanf("0b11 4", "%i%d", &a, &b) == 2 && a == 3 && b == 4, "C23");
    CHECK(call(sl___isoc99_vsscanf, "0b11", "%i", &a) == 1 && a == 0, "C99");
    CHECK(call(sl___isoc23_vsscanf, "0b11", "%i", &a) == 1 && a == 3, "C23");
    /* As C says, unlike glibc before its bug 12701 was closed. */
    CHECK(sl_sscanf("0xg", "%x", &a) == 0, "half a number");
    CHECK(sl_sscanf("-0x", "%i", &a) == 0, "half a number");
    CHECK(sl_sscanf("0x1", "%2x", &a) == 0, "half a number");
    CHECK(sl_sscanf("0x1", "%1x%n", &a, &b) == 1 && a == 0 && b == 1, "a zero");
    CHECK(sl_sscanf("10x", "%x%n", &a, &b) == 1 && a == 16 && b == 2, "no prefix");
    CHECK(sl_sscanf("00x", "%i%n", &a, &b) == 1 && a == 0 && b == 2, "no prefix");
    return finish();
}
