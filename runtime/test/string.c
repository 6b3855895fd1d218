/* <string.h>: our results and the memory we leave, against glibc's, on random texts that end at a guard page. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

OURS(strlen); OURS(strnlen); OURS(stpcpy); OURS(strcpy); OURS(stpncpy); OURS(strncpy); OURS(strcat); OURS(strncat); OURS(strdup);
OURS(strndup); OURS(mempcpy); OURS(memccpy); OURS(bcopy); OURS(bzero); OURS(memcmp); OURS(bcmp); OURS(strcmp); OURS(strncmp);
OURS(strcasecmp); OURS(strncasecmp); OURS(strcoll); OURS(strxfrm); OURS(memchr); OURS(memrchr); OURS(rawmemchr); OURS(strchrnul);
OURS(strchr); OURS(strrchr); OURS(index); OURS(rindex); OURS(strspn); OURS(strcspn); OURS(strpbrk); OURS(strstr); OURS(strtok);
OURS(strtok_r); OURS(strsep); OURS(strerror); OURS(strerror_r); OURS(perror);
int sl___xpg_strerror_r(int, char *, size_t);
size_t sl_strlcpy(char *, const char *, size_t);
size_t sl_strlcat(char *, const char *, size_t);
void *sl___memcpy_chk(void *, const void *, size_t, size_t);
void *sl___memmove_chk(void *, const void *, size_t, size_t);
void *sl___mempcpy_chk(void *, const void *, size_t, size_t);
void *sl___memset_chk(void *, int, size_t, size_t);
char *sl___strcpy_chk(char *, const char *, size_t);
char *sl___stpcpy_chk(char *, const char *, size_t);
char *sl___strncpy_chk(char *, const char *, size_t, size_t);
char *sl___stpncpy_chk(char *, const char *, size_t, size_t);
char *sl___strcat_chk(char *, const char *, size_t);
char *sl___strncat_chk(char *, const char *, size_t, size_t);

static char alphabet[] = "abcABC. \xe9\x80";
static char ours[64], theirs[64];

/* Compares what two calls returned, as offsets into their buffers, and what they left there. */
#define SAME(name, our_call, their_call)                                                                                           \
    do {                                                                                                                           \
        memset(ours, '#', sizeof ours);                                                                                            \
        memset(theirs, '#', sizeof theirs);                                                                                        \
        strcpy(ours, prefix);                                                                                                      \
        strcpy(theirs, prefix);                                                                                                    \
        ptrdiff_t our_result = (char *)(our_call) - ours, their_result = (char *)(their_call) - theirs;                            \
        CHECK(our_result == their_result || (our_result < 0 && their_result < 0), name " of '%s' and '%s'", prefix, from);         \
        CHECK(memcmp(ours, theirs, sizeof ours) == 0, name " of '%s' and '%s'", prefix, from);                                     \
    } while (0)

static void test_copying(void)
{
    char prefix[16], text[16];
    random_text(prefix, 12, alphabet);
    random_text(text, 12, alphabet);
    const char *from = guarded(text, 0);
    size_t count = below(20), length = strlen(from), readable = length + 1;
    int last = alphabet[below(8)];
    SAME("strcpy", sl_strcpy(ours, from), strcpy(theirs, from));
    SAME("stpcpy", sl_stpcpy(ours, from), stpcpy(theirs, from));
    SAME("strncpy", sl_strncpy(ours, from, count), strncpy(theirs, from, count));
    SAME("stpncpy", sl_stpncpy(ours, from, count), stpncpy(theirs, from, count));
    SAME("strcat", sl_strcat(ours, from), strcat(theirs, from));
    SAME("strncat", sl_strncat(ours, from, count), strncat(theirs, from, count));
    SAME("mempcpy", sl_mempcpy(ours, from, readable), mempcpy(theirs, from, readable));
    SAME("memccpy", sl_memccpy(ours, from, last, readable), memccpy(theirs, from, last, readable));
    SAME("bcopy", (sl_bcopy(ours, ours + 3, 20), ours), (bcopy(theirs, theirs + 3, 20), theirs));
    SAME("bzero", (sl_bzero(ours, count), ours), (bzero(theirs, count), theirs));
    SAME("strcpy_chk", sl___strcpy_chk(ours, from, readable), strcpy(theirs, from));
    SAME("stpcpy_chk", sl___stpcpy_chk(ours, from, readable), stpcpy(theirs, from));
    SAME("strncpy_chk", sl___strncpy_chk(ours, from, count, count), strncpy(theirs, from, count));
    SAME("stpncpy_chk", sl___stpncpy_chk(ours, from, count, count), stpncpy(theirs, from, count));
    SAME("strcat_chk", sl___strcat_chk(ours, from, sizeof ours), strcat(theirs, from));
    SAME("strncat_chk", sl___strncat_chk(ours, from, count, sizeof ours), strncat(theirs, from, count));
    SAME("memcpy_chk", sl___memcpy_chk(ours, from, readable, readable), memcpy(theirs, from, readable));
    SAME("memmove_chk", sl___memmove_chk(ours + 1, ours, 20, 63), memmove(theirs + 1, theirs, 20));
    SAME("mempcpy_chk", sl___mempcpy_chk(ours, from, readable, SIZE_MAX), mempcpy(theirs, from, readable));
    SAME("memset_chk", sl___memset_chk(ours, 'x', count, count), memset(theirs, 'x', count));
    SAME("strxfrm", ours + sl_strxfrm(ours, from, sizeof ours), theirs + strxfrm(theirs, from, sizeof theirs));

    /* Debian's glibc has no strlcpy; snprintf is what it is defined by. */
    SAME("strlcpy", ours + sl_strlcpy(ours, from, count), theirs + snprintf(theirs, count, "%s", from));
    size_t used = strlen(prefix) < count ? strlen(prefix) : count;
    SAME("strlcat", ours + sl_strlcat(ours, from, count), theirs + used + snprintf(theirs + used, count - used, "%s", from));

    char *copy = sl_strdup(from), *short_copy = sl_strndup(from, count), *expected = strndup(from, count);
    CHECK(strcmp(copy, from) == 0, "strdup of '%s'", from);
    CHECK(strcmp(short_copy, expected) == 0, "strndup of '%s', %zu", from, count);
    free(copy);
    free(short_copy);
    free(expected);
}

static void test_comparison(void)
{
    char text[16], other[16];
    random_text(text, 6, alphabet);
    random_text(other, 6, alphabet);
    const char *a = guarded(text, 0), *b = guarded(other, 1);
    size_t count = below(8), common = (strlen(a) < strlen(b) ? strlen(a) : strlen(b)) + 1;
    CHECK(sl_strlen(a) == strlen(a), "'%s'", a);
    CHECK(sl_strnlen(a, count) == strnlen(a, count), "'%s' %zu", a, count);
    CHECK(sign(sl_strcmp(a, b)) == sign(strcmp(a, b)), "'%s' '%s'", a, b);
    CHECK(sign(sl_strcoll(a, b)) == sign(strcoll(a, b)), "'%s' '%s'", a, b);
    CHECK(sign(sl_strncmp(a, b, count)) == sign(strncmp(a, b, count)), "'%s' '%s' %zu", a, b, count);
    CHECK(sign(sl_strcasecmp(a, b)) == sign(strcasecmp(a, b)), "'%s' '%s'", a, b);
    CHECK(sign(sl_strncasecmp(a, b, count)) == sign(strncasecmp(a, b, count)), "'%s' '%s' %zu", a, b, count);
    CHECK(sign(sl_memcmp(a, b, common)) == sign(memcmp(a, b, common)), "'%s' '%s'", a, b);
    CHECK(!sl_bcmp(a, b, common) == !memcmp(a, b, common), "'%s' '%s'", a, b);
    CHECK(sl_memcmp(a, b, 0) == 0, "empty");

    /* Bounded functions do not look behind the bound, zero or not. */
    char *bounded = before_guard(3, 2);
    memcpy(bounded, "abc", 3);
    CHECK(sl_strnlen(bounded, 3) == 3, "unterminated");
    CHECK(sl_strncmp(bounded, "abcd", 3) == 0, "unterminated");
    CHECK(sl_strncasecmp(bounded, "ABCD", 3) == 0, "unterminated");
    CHECK(sl_memchr(bounded, 'x', 3) == NULL, "unterminated");
    memset(ours, '#', sizeof ours);
    CHECK(memcmp(sl_strncpy(ours, bounded, 3), "abc#", 4) == 0, "unterminated");
    CHECK(strcmp(sl_strncat(strcpy(ours, "x"), bounded, 3), "xabc") == 0, "unterminated");
}

static void test_search(void)
{
    char text[32], other[4];
    random_text(text, 20, "aabbc\xe9");
    random_text(other, 4, "aabbc\xe9");
    const char *a = guarded(text, 0), *b = guarded(other, 1);
    int byte = "abcx\xe9"[below(6)] + 256 * (int)below(2);
    size_t size = strlen(a) + 1;
    CHECK(sl_memchr(a, byte, size) == memchr(a, byte, size), "'%s' %d", a, byte);
    CHECK(sl_memrchr(a, byte, size) == memrchr(a, byte, size), "'%s' %d", a, byte);
    CHECK(sl_rawmemchr(a, 0) == rawmemchr(a, 0), "'%s'", a);
    CHECK(sl_strchr(a, byte) == strchr(a, byte), "'%s' %d", a, byte);
    CHECK(sl_strchrnul(a, byte) == strchrnul(a, byte), "'%s' %d", a, byte);
    CHECK(sl_strrchr(a, byte) == strrchr(a, byte), "'%s' %d", a, byte);
    CHECK(sl_index(a, byte) == index(a, byte), "'%s' %d", a, byte);
    CHECK(sl_rindex(a, byte) == rindex(a, byte), "'%s' %d", a, byte);
    CHECK(sl_strspn(a, b) == strspn(a, b), "'%s' '%s'", a, b);
    CHECK(sl_strcspn(a, b) == strcspn(a, b), "'%s' '%s'", a, b);
    CHECK(sl_strpbrk(a, b) == strpbrk(a, b), "'%s' '%s'", a, b);
    CHECK(sl_strstr(a, b) == strstr(a, b), "'%s' '%s'", a, b);
}

static void test_tokens(void)
{
    char text[32], *our_rest = NULL, *their_rest = NULL, *our_next = NULL, *their_next = NULL;
    random_text(text, 20, "ab,; ");
    const char *delimiters[] = {",;", " ", "a", ",; "};

#define EACH_TOKEN(name, our_call, their_call)                                                                                     \
    strcpy(ours, text);                                                                                                            \
    strcpy(theirs, text);                                                                                                          \
    for (int i = 0;; i++) {                                                                                                        \
        const char *set = delimiters[below(4)];                                                                                    \
        char *our_token = our_call, *their_token = their_call;                                                                     \
        CHECK(!our_token == !their_token, name " of '%s'", text);                                                                  \
        if (our_token == NULL || their_token == NULL)                                                                              \
            break;                                                                                                                 \
        CHECK(our_token - ours == their_token - theirs && strcmp(our_token, their_token) == 0, name " of '%s'", text);             \
    }

    EACH_TOKEN("strtok", sl_strtok(i ? NULL : ours, set), strtok(i ? NULL : theirs, set))
    EACH_TOKEN("strtok_r", sl_strtok_r(i ? NULL : ours, set, &our_rest), strtok_r(i ? NULL : theirs, set, &their_rest))
    EACH_TOKEN("strsep", sl_strsep(i ? &our_next : (our_next = ours, &our_next), set),
               strsep(i ? &their_next : (their_next = theirs, &their_next), set))
}

static void test_errors(void)
{
    char buffer[64], expected[64];
    int known = 0;
    for (int number = -3; number < 140; number++) {
        const char *message = sl_strerror(number);
        snprintf(expected, sizeof expected, "Unknown error %d", number);
        known += strcmp(message, expected) != 0;
        CHECK(strcmp(message, strerror(number)) == 0, "%d", number);
        CHECK(strcmp(sl_strerror_r(number, buffer, sizeof buffer), message) == 0, "%d", number);
        int result = sl___xpg_strerror_r(number, buffer, sizeof buffer);
        CHECK(strcmp(buffer, message) == 0 && (result == 0) == (strcmp(message, expected) != 0), "%d", number);
    }
    CHECK(known >= 50, "%d", known);
    CHECK(sl___xpg_strerror_r(ENOENT, buffer, 5) == ERANGE && strcmp(buffer, "No s") == 0, "%s", buffer);
    CHECK(strcmp(sl_strerror(INT32_MIN), "Unknown error -2147483648") == 0, "%s", sl_strerror(INT32_MIN));
    errno = ENOENT;
    printf("(expected) ");
    sl_perror("perror");
}

/* The checked functions end the program when the destination is too small: in a child, which must die of it. */
static void test_overflow_of_checked(void)
{
#define DIES(call)                                                                                                                 \
    do {                                                                                                                           \
        fflush(stdout);                                                                                                            \
        int status = 0;                                                                                                            \
        pid_t child = fork();                                                                                                      \
        if (child == 0) {                                                                                                          \
            call;                                                                                                                  \
            _exit(0);                                                                                                              \
        }                                                                                                                          \
        waitpid(child, &status, 0);                                                                                                \
        CHECK(WIFSIGNALED(status), "%s", #call);                                                                                   \
    } while (0)
    memset(ours, 0, sizeof ours);
    strcpy(ours, "ab");
    DIES(sl___strcpy_chk(ours, "abcd", 4));
    DIES(sl___stpcpy_chk(ours, "abcd", 4));
    DIES(sl___strncpy_chk(ours, "ab", 5, 4));
    DIES(sl___strcat_chk(ours, "cd", 4));
    DIES(sl___strncat_chk(ours, "cdef", 2, 4));
    DIES(sl___memcpy_chk(ours, theirs, 5, 4));
    DIES(sl___memmove_chk(ours, theirs, 5, 4));
    DIES(sl___memset_chk(ours, 0, 5, 4));
}

int main(void)
{
    for (int i = 0; i < 20000; i++) {
        test_copying();
        test_comparison();
        test_search();
        test_tokens();
    }
    test_errors();
    test_overflow_of_checked();
    return finish();
}
