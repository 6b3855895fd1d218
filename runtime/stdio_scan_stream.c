/* scanf and fscanf: see stdio_scan.c. */
#include "sleave_runtime.h"

extern void *const stdin;
/* In stdio_stream.c. */
int __sleave_scan_stream(void *stream, const char *format, va_list arguments, int binary_prefix);

#define SCANNERS(prefix, binary_prefix)                                                                                            \
    int prefix##vfscanf(void *restrict stream, const char *restrict format, va_list arguments)                                     \
    {                                                                                                                              \
        return __sleave_scan_stream(stream, format, arguments, binary_prefix);                                                     \
    }                                                                                                                              \
    int prefix##vscanf(const char *restrict format, va_list arguments)                                                             \
    {                                                                                                                              \
        return __sleave_scan_stream(stdin, format, arguments, binary_prefix);                                                      \
    }                                                                                                                              \
    int prefix##fscanf(void *restrict stream, const char *restrict format, ...)                                                    \
    {                                                                                                                              \
        va_list arguments;                                                                                                         \
        va_start(arguments, format);                                                                                               \
        int assigned = __sleave_scan_stream(stream, format, arguments, binary_prefix);                                             \
        va_end(arguments);                                                                                                         \
        return assigned;                                                                                                           \
    }                                                                                                                              \
    int prefix##scanf(const char *restrict format, ...)                                                                            \
    {                                                                                                                              \
        va_list arguments;                                                                                                         \
        va_start(arguments, format);                                                                                               \
        int assigned = __sleave_scan_stream(stdin, format, arguments, binary_prefix);                                              \
        va_end(arguments);                                                                                                         \
        return assigned;                                                                                                           \
    }

SCANNERS(, 0)
SCANNERS(__isoc99_, 0)
SCANNERS(__isoc23_, 1)
