/*
 * Files by descriptor. Whether a file can be opened, whether it is there, and what can be read from it are inputs; what is read may be
 * short. Descriptors are given in the order of the calls, and never twice. See stdio_stream.c for what is not modelled.
 */
#include "sleave_runtime.h"

#define EBADF 9
#define MOST_ERRORS 133
#define MOST_FILES 32
#define FIRST 3

enum { O_ACCMODE = 3, O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2 };

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
unsigned __sleave_input_length(void);
_Noreturn void __sleave_beyond(const char *what);
/* In stdio_stream.c. */
long __sleave_read_stdin(size_t size, const unsigned char **from);
void __sleave_fill(void *to, size_t size, size_t count, const char *name);

static struct {
    int is_open;
    int is_read;
    int is_written;
    unsigned blocks; /* so many were read */
} files[FIRST + MOST_FILES] = {{1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 1, 0}};
static int file_count = FIRST;
static int files_are_written;

static int fail(void)
{
    uint8_t number = (uint8_t)__sleave_input("errno", 8);
    __sleave_assume((number >= 1) & (number <= MOST_ERRORS));
    errno = number;
    return -1;
}

/* 0, or -1 and an error. */
static int may_fail(const char *name, const char *path)
{
    strlen(path);
    return __sleave_input(name, 1) ? fail() : 0;
}

int open(const char *path, int flags, ...)
{
    if (may_fail("open fails", path) != 0)
        return -1;
    __VERIFIER_atomic_begin();
    if (file_count == FIRST + MOST_FILES)
        __sleave_unsupported("more than 32 open files");
    int descriptor = file_count++;
    int mode = flags & O_ACCMODE;
    files[descriptor].is_open = 1;
    files[descriptor].is_read = mode != O_WRONLY;
    files[descriptor].is_written = mode != O_RDONLY;
    files_are_written |= mode != O_RDONLY;
    __VERIFIER_atomic_end();
    return descriptor;
}

int open64(const char *path, int flags, ...)
{
    return open(path, flags);
}

int creat(const char *path, unsigned mode)
{
    (void)mode;
    return open(path, O_WRONLY);
}

static int is_open(int descriptor)
{
    return descriptor >= 0 && descriptor < file_count && files[descriptor].is_open;
}

int close(int descriptor)
{
    int result = 0;
    __VERIFIER_atomic_begin();
    if (is_open(descriptor)) {
        files[descriptor].is_open = 0;
    } else {
        errno = EBADF;
        result = -1;
    }
    __VERIFIER_atomic_end();
    return result;
}

static const char *name_of(int descriptor)
{
    return descriptor == 0 ? "stdin" : "a file";
}

/* How much is read; 0 is the end. Where it lies, if it is given. */
static long take_block(int descriptor, size_t size, const unsigned char **from)
{
    if (!is_open(descriptor) || !files[descriptor].is_read) {
        errno = EBADF;
        return -1;
    }
    if (size == 0)
        return 0;
    long given = descriptor == 0 ? __sleave_read_stdin(size, from) : -1;
    if (given >= 0)
        return given;
    if (descriptor != 0 && files_are_written)
        __sleave_unsupported("reading a file after one was opened for writing");
    if (files[descriptor].blocks == __sleave_input_length()) {
        if (!__sleave_input("end of file", 1))
            __sleave_beyond(name_of(descriptor));
        return 0;
    }
    files[descriptor].blocks++;
    if (__sleave_input("read fails", 1))
        return fail();
    size_t count = (size_t)__sleave_input("bytes read", sizeof count * CHAR_BIT);
    __sleave_assume(count <= size);
    return (long)count;
}

long read(int descriptor, void *block, size_t size)
{
    const unsigned char *from = NULL;
    __VERIFIER_atomic_begin();
    long count = take_block(descriptor, size, &from);
    __VERIFIER_atomic_end();
    if (from != NULL)
        memcpy(block, from, (size_t)count);
    else if (count > 0)
        __sleave_fill(block, size, (size_t)count, name_of(descriptor));
    return count;
}

long __read_chk(int descriptor, void *block, size_t size, size_t capacity)
{
    (void)capacity;
    return read(descriptor, block, size);
}

int access(const char *path, int mode)
{
    (void)mode;
    return may_fail("access fails", path);
}

/* What changes files may be what is read later. */
static int change(const char *name, const char *path)
{
    if (may_fail(name, path) != 0)
        return -1;
    __VERIFIER_atomic_begin();
    files_are_written = 1;
    __VERIFIER_atomic_end();
    return 0;
}

int unlink(const char *path) { return change("unlink fails", path); }
int remove(const char *path) { return change("remove fails", path); }
int rmdir(const char *path) { return change("rmdir fails", path); }

int mkdir(const char *path, unsigned mode)
{
    (void)mode;
    return change("mkdir fails", path);
}

int rename(const char *from, const char *to)
{
    strlen(to);
    return change("rename fails", from);
}

int isatty(int descriptor)
{
    (void)descriptor;
    if (__sleave_input("isatty", 1))
        return 1;
    errno = ENOTTY;
    return 0;
}
