/*
 * The functions that glibc's headers call under -D_FORTIFY_SOURCE: the last argument is the size of the destination, or SIZE_MAX.
 *
 * The plain operation comes first, so that an access outside of an object is reported as that, at that byte. What then remains is the
 * overflow of one member of a struct into the next, at which glibc would end the program.
 */
#include "sleave_runtime.h"

size_t strnlen(const char *text, size_t limit);
void *mempcpy(void *restrict to, const void *restrict from, size_t count);
char *stpcpy(char *restrict to, const char *restrict from);
char *stpncpy(char *restrict to, const char *restrict from, size_t count);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t count);

static void require(size_t written, size_t capacity)
{
    if (written > capacity)
        __builtin_trap();
}

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t count, size_t capacity)
{
    memcpy(to, from, count);
    require(count, capacity);
    return to;
}

void *__memmove_chk(void *to, const void *from, size_t count, size_t capacity)
{
    memmove(to, from, count);
    require(count, capacity);
    return to;
}

void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t count, size_t capacity)
{
    mempcpy(to, from, count);
    require(count, capacity);
    return (char *)to + count;
}

void *__memset_chk(void *block, int byte, size_t count, size_t capacity)
{
    memset(block, byte, count);
    require(count, capacity);
    return block;
}

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t capacity)
{
    char *end = stpcpy(to, from);
    require((size_t)(end - to) + 1, capacity);
    return end;
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t capacity)
{
    __stpcpy_chk(to, from, capacity);
    return to;
}

char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t count, size_t capacity)
{
    char *end = stpncpy(to, from, count);
    require(count, capacity);
    return end;
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t count, size_t capacity)
{
    __stpncpy_chk(to, from, count, capacity);
    return to;
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t capacity)
{
    strcat(to, from);
    require(strlen(to) + 1, capacity);
    return to;
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t count, size_t capacity)
{
    strncat(to, from, count);
    require(strlen(to) + 1, capacity);
    return to;
}
