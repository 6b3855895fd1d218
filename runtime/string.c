/*
 * <string.h> and <strings.h> in the C locale.
 *
 * No function reads a byte that its contract does not let it read: the machine checks every access, and a word-wise strlen would be
 * reported as a fault of the program. Comparisons return the difference of the first unequal bytes, as glibc's do.
 */
#include "sleave_runtime.h"

/* Length. */

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != 0)
        length++;
    return length;
}

size_t strnlen(const char *text, size_t limit)
{
    size_t length = 0;
    while (length < limit && text[length] != 0)
        length++;
    return length;
}

/* Copying. */

char *stpcpy(char *restrict to, const char *restrict from)
{
    while ((*to = *from) != 0) {
        to++;
        from++;
    }
    return to;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t count)
{
    size_t length = strnlen(from, count);
    memcpy(to, from, length);
    memset(to + length, 0, count - length);
    return to + length;
}

char *strncpy(char *restrict to, const char *restrict from, size_t count)
{
    stpncpy(to, from, count);
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t count)
{
    size_t length = strnlen(from, count);
    char *end = to + strlen(to);
    memcpy(end, from, length);
    end[length] = 0;
    return to;
}

size_t strlcpy(char *restrict to, const char *restrict from, size_t capacity)
{
    size_t length = strlen(from);
    if (capacity > 0) {
        size_t copied = length < capacity ? length : capacity - 1;
        memcpy(to, from, copied);
        to[copied] = 0;
    }
    return length;
}

size_t strlcat(char *restrict to, const char *restrict from, size_t capacity)
{
    size_t used = strnlen(to, capacity);
    return used + strlcpy(to + used, from, capacity - used);
}

char *strndup(const char *text, size_t limit)
{
    size_t length = strnlen(text, limit);
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *strdup(const char *text)
{
    return strndup(text, SIZE_MAX);
}

void *mempcpy(void *restrict to, const void *restrict from, size_t count)
{
    return (char *)memcpy(to, from, count) + count;
}

void *memccpy(void *restrict to, const void *restrict from, int last, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < count; i++) {
        target[i] = source[i];
        if (source[i] == (unsigned char)last)
            return target + i + 1;
    }
    return NULL;
}

void bcopy(const void *from, void *to, size_t count)
{
    memmove(to, from, count);
}

void bzero(void *block, size_t count)
{
    memset(block, 0, count);
}

/* Comparison. */

/* From the last byte to the first without a branch: one execution instead of one for each place where symbolic bytes may differ. */
int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    int result = 0;
    while (count > 0) {
        count--;
        int difference = a[count] - b[count];
        result = difference | (result & -(difference == 0));
    }
    return result;
}

int bcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    int difference = 0;
    for (size_t i = 0; i < count; i++)
        difference |= a[i] ^ b[i];
    return difference;
}

int strncmp(const char *left, const char *right, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char a = (unsigned char)left[i], b = (unsigned char)right[i];
        if (a != b)
            return a - b;
        if (a == 0)
            break;
    }
    return 0;
}

int strcmp(const char *left, const char *right)
{
    return strncmp(left, right, SIZE_MAX);
}

int strncasecmp(const char *left, const char *right, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int a = sleave_lower((unsigned char)left[i]), b = sleave_lower((unsigned char)right[i]);
        if (a != b)
            return a - b;
        if (a == 0)
            break;
    }
    return 0;
}

int strcasecmp(const char *left, const char *right)
{
    return strncasecmp(left, right, SIZE_MAX);
}

int strcoll(const char *left, const char *right)
{
    return strcmp(left, right);
}

size_t strxfrm(char *restrict to, const char *restrict from, size_t capacity)
{
    return strlcpy(to, from, capacity);
}

/* Searching for a byte. */

void *memchr(const void *block, int byte, size_t count)
{
    const unsigned char *bytes = block;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == (unsigned char)byte)
            return (void *)(bytes + i);
    return NULL;
}

void *memrchr(const void *block, int byte, size_t count)
{
    const unsigned char *bytes = block;
    while (count > 0)
        if (bytes[--count] == (unsigned char)byte)
            return (void *)(bytes + count);
    return NULL;
}

void *rawmemchr(const void *block, int byte)
{
    return memchr(block, byte, SIZE_MAX);
}

char *strchrnul(const char *text, int byte)
{
    while (*text != (char)byte && *text != 0)
        text++;
    return (char *)text;
}

char *strchr(const char *text, int byte)
{
    char *found = strchrnul(text, byte);
    return *found == (char)byte ? found : NULL;
}

char *strrchr(const char *text, int byte)
{
    return memrchr(text, byte, strlen(text) + 1);
}

char *index(const char *text, int byte)
{
    return strchr(text, byte);
}

char *rindex(const char *text, int byte)
{
    return strrchr(text, byte);
}

/* Searching for a set of bytes or a text. */

/* To the end of the set in any case: a symbolic byte forks once, in the caller, not once for each member. */
static int is_in_set(char byte, const char *set)
{
    int found = 0;
    for (; *set != 0; set++)
        found |= *set == byte;
    return found;
}

size_t strspn(const char *text, const char *accepted)
{
    size_t length = 0;
    while (text[length] != 0 && is_in_set(text[length], accepted))
        length++;
    return length;
}

size_t strcspn(const char *text, const char *rejected)
{
    size_t length = 0;
    while (text[length] != 0 && !is_in_set(text[length], rejected))
        length++;
    return length;
}

char *strpbrk(const char *text, const char *accepted)
{
    text += strcspn(text, accepted);
    return *text != 0 ? (char *)text : NULL;
}

static int starts_with(const char *text, const char *prefix)
{
    while (*prefix != 0)
        if (*text++ != *prefix++)
            return 0;
    return 1;
}

char *strstr(const char *text, const char *wanted)
{
    for (;; text++) {
        if (starts_with(text, wanted))
            return (char *)text;
        if (*text == 0)
            return NULL;
    }
}

/* Tokens. */

char *strtok_r(char *restrict text, const char *restrict delimiters, char **restrict rest)
{
    if (text == NULL)
        text = *rest;
    text += strspn(text, delimiters);
    char *end = text + strcspn(text, delimiters);
    *rest = end;
    if (end == text)
        return NULL;
    if (*end != 0) {
        *end = 0;
        *rest = end + 1;
    }
    return text;
}

/* The state is shared by all threads, as in every libc: two threads that call strtok do race. */
char *strtok(char *restrict text, const char *restrict delimiters)
{
    static char *rest;
    return strtok_r(text, delimiters, &rest);
}

char *strsep(char **restrict text, const char *restrict delimiters)
{
    char *token = *text;
    if (token == NULL)
        return NULL;
    char *end = token + strcspn(token, delimiters);
    *text = *end != 0 ? end + 1 : NULL;
    *end = 0;
    return token;
}

/* The names by which glibc's headers call some of them. */

char *__strdup(const char *text)
{
    return strdup(text);
}

char *__strndup(const char *text, size_t limit)
{
    return strndup(text, limit);
}

char *__stpcpy(char *restrict to, const char *restrict from)
{
    return stpcpy(to, from);
}

void *__mempcpy(void *restrict to, const void *restrict from, size_t count)
{
    return mempcpy(to, from, count);
}

void *__rawmemchr(const void *block, int byte)
{
    return rawmemchr(block, byte);
}

char *__strtok_r(char *restrict text, const char *restrict delimiters, char **restrict rest)
{
    return strtok_r(text, delimiters, rest);
}
