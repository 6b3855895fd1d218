/*
 * Messages for error numbers, with the texts of glibc. The numbers that programs meet with the modelled functions have a text; the
 * others read "Unknown error N", which no program compares.
 */
#include "sleave_runtime.h"

void *mempcpy(void *restrict to, const void *restrict from, size_t count);

static const char *const messages[] = {
    [0] = "Success",
    [1] = "Operation not permitted",
    [2] = "No such file or directory",
    [3] = "No such process",
    [4] = "Interrupted system call",
    [5] = "Input/output error",
    [6] = "No such device or address",
    [7] = "Argument list too long",
    [8] = "Exec format error",
    [9] = "Bad file descriptor",
    [10] = "No child processes",
    [11] = "Resource temporarily unavailable",
    [12] = "Cannot allocate memory",
    [13] = "Permission denied",
    [14] = "Bad address",
    [15] = "Block device required",
    [16] = "Device or resource busy",
    [17] = "File exists",
    [18] = "Invalid cross-device link",
    [19] = "No such device",
    [20] = "Not a directory",
    [21] = "Is a directory",
    [22] = "Invalid argument",
    [23] = "Too many open files in system",
    [24] = "Too many open files",
    [25] = "Inappropriate ioctl for device",
    [26] = "Text file busy",
    [27] = "File too large",
    [28] = "No space left on device",
    [29] = "Illegal seek",
    [30] = "Read-only file system",
    [31] = "Too many links",
    [32] = "Broken pipe",
    [33] = "Numerical argument out of domain",
    [34] = "Numerical result out of range",
    [35] = "Resource deadlock avoided",
    [36] = "File name too long",
    [37] = "No locks available",
    [38] = "Function not implemented",
    [75] = "Value too large for defined data type",
    [95] = "Operation not supported",
    [98] = "Address already in use",
    [103] = "Software caused connection abort",
    [104] = "Connection reset by peer",
    [110] = "Connection timed out",
    [111] = "Connection refused",
    [115] = "Operation now in progress",
    [125] = "Operation canceled",
    [130] = "Owner died",
    [131] = "State not recoverable",
};

#define UNKNOWN "Unknown error "

/* Room for UNKNOWN, a sign, ten digits and the zero. */
#define MESSAGE_SIZE (sizeof UNKNOWN + 11)

static const char *known_message(int number)
{
    if (number < 0 || (size_t)number >= sizeof messages / sizeof messages[0])
        return NULL;
    return messages[number];
}

static void unknown_message(int number, char *message)
{
    char digits[10];
    size_t count = 0;
    unsigned magnitude = number < 0 ? -(unsigned)number : (unsigned)number;
    do {
        digits[count++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    char *at = mempcpy(message, UNKNOWN, sizeof UNKNOWN - 1);
    if (number < 0)
        *at++ = '-';
    while (count > 0)
        *at++ = digits[--count];
    *at = 0;
}

char *strerror(int number)
{
    static _Thread_local char message[MESSAGE_SIZE];
    const char *known = known_message(number);
    if (known != NULL)
        return (char *)known;
    unknown_message(number, message);
    return message;
}

/* The strerror_r of POSIX. */
int __xpg_strerror_r(int number, char *buffer, size_t capacity)
{
    const char *message = strerror(number);
    size_t length = strlen(message);
    if (capacity > 0) {
        size_t copied = length < capacity ? length : capacity - 1;
        memcpy(buffer, message, copied);
        buffer[copied] = 0;
    }
    if (length >= capacity)
        return ERANGE;
    return known_message(number) != NULL ? 0 : EINVAL;
}

/* The strerror_r of GNU, which returns the message wherever it is. */
char *strerror_r(int number, char *buffer, size_t capacity)
{
    const char *known = known_message(number);
    if (known != NULL)
        return (char *)known;
    __xpg_strerror_r(number, buffer, capacity);
    return buffer;
}

void perror(const char *prefix)
{
    const char *message = strerror(errno);
    if (prefix != NULL && *prefix != 0)
        printf("%s: %s\n", prefix, message);
    else
        printf("%s\n", message);
}
