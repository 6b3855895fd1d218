/*
 * Streams: the three standard ones exist, no other can be opened, and nothing is buffered. Output itself is the machine's: it finds
 * the descriptor in the first int of a stream.
 *
 * A stream has the size of glibc's FILE with every pointer null, so that macros of old headers that look into it find an empty buffer.
 */
#include "sleave_runtime.h"

typedef struct {
    int descriptor;
    int rest[53];
} FILE;

static FILE input = {0, {0}}, output = {1, {0}}, errors = {2, {0}};

/* Constant, so that the threads that print do not share a variable. */
FILE *const stdin = &input;
FILE *const stdout = &output;
FILE *const stderr = &errors;

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    (void)path;
    (void)mode;
    errno = ENOENT;
    return NULL;
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return fopen(path, mode);
}

int fclose(FILE *stream)
{
    (void)stream;
    return 0;
}

int fflush(FILE *stream)
{
    (void)stream;
    return 0;
}

int fileno(FILE *stream)
{
    return stream->descriptor;
}

void setbuf(FILE *restrict stream, char *restrict buffer)
{
    (void)stream;
    (void)buffer;
}

int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size)
{
    (void)stream;
    (void)buffer;
    (void)mode;
    (void)size;
    return 0;
}

void setlinebuf(FILE *stream)
{
    (void)stream;
}
