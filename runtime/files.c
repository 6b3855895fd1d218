/*
 * Files by descriptor. Whether a file can be opened, whether it is there, and what can be read from it are inputs; what is read may be
 * short. Who opens a file, also as a stream, gets the lowest descriptor that is free. See stdio_stream.c for what is not modelled.
 */
#include "sleave_runtime.h"

#define EBADF 9
#define MOST_ERRORS 133
#define MOST_FILES 32
#define STANDARD 3

enum { O_ACCMODE = 3, O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2 };

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
unsigned __sleave_input_length(void);
_Noreturn void __sleave_beyond(const char *what);
/* Whether the program calls anything that gives or takes one: open, creat, close, read. */
int __sleave_uses_descriptors(void);
/* In stdio_stream.c. */
long __sleave_read_stdin(size_t size, const unsigned char **from);
void __sleave_fill(void *to, size_t size, size_t count, const char *name);

static struct {
    int is_open;
    int is_standard; /* since the start */
    int is_read;
    int is_written;
    unsigned blocks; /* so many were read */
    enum { UNCLEAR, NO_TERMINAL, TERMINAL } kind;
} files[STANDARD + MOST_FILES] = {{1, 1, 1, 0, 0, UNCLEAR}, {1, 1, 0, 1, 0, UNCLEAR}, {1, 1, 0, 1, 0, UNCLEAR}};
/* A file was opened for writing, or changed otherwise. */
int __sleave_files_are_written;

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

/* Within an atomic section. */
static int take_descriptor(int is_read, int is_written)
{
    int descriptor = 0;
    while (descriptor < STANDARD + MOST_FILES && files[descriptor].is_open)
        descriptor++;
    if (descriptor == STANDARD + MOST_FILES)
        __sleave_unsupported("more than 32 open files");
    files[descriptor].is_open = 1;
    files[descriptor].is_standard = 0;
    files[descriptor].is_read = is_read;
    files[descriptor].is_written = is_written;
    files[descriptor].blocks = 0;
    files[descriptor].kind = UNCLEAR;
    return descriptor;
}

static int is_open(int descriptor)
{
    return descriptor >= 0 && descriptor < STANDARD + MOST_FILES && files[descriptor].is_open;
}

/* Whether it was open. Within an atomic section. */
static int free_descriptor(int descriptor)
{
    if (!is_open(descriptor))
        return 0;
    files[descriptor].is_open = 0;
    return 1;
}

/* Whether it has been open from the start. Within an atomic section. */
int __sleave_is_standard(int descriptor)
{
    return files[descriptor].is_open && files[descriptor].is_standard;
}

/* Of a stream, within an atomic section. Where nobody can tell which one it is, streams of several threads have nothing in common. */
int __sleave_open_descriptor(int is_read, int is_written)
{
    return __sleave_uses_descriptors() ? take_descriptor(is_read, is_written) : STANDARD;
}

int __sleave_close_descriptor(int descriptor)
{
    return __sleave_uses_descriptors() ? free_descriptor(descriptor) : 1;
}

int open(const char *path, int flags, ...)
{
    if (may_fail("open fails", path) != 0)
        return -1;
    int mode = flags & O_ACCMODE;
    __VERIFIER_atomic_begin();
    int descriptor = take_descriptor(mode != O_WRONLY, mode != O_RDONLY);
    __sleave_files_are_written |= mode != O_RDONLY;
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

int close(int descriptor)
{
    __VERIFIER_atomic_begin();
    int was_open = free_descriptor(descriptor);
    __VERIFIER_atomic_end();
    if (was_open)
        return 0;
    errno = EBADF;
    return -1;
}

/* How much is read; 0 is the end. Where it lies, if it is given, and what it is. */
static long take_block(int descriptor, size_t size, const unsigned char **from, const char **name)
{
    if (!is_open(descriptor) || !files[descriptor].is_read) {
        errno = EBADF;
        return -1;
    }
    if (size == 0)
        return 0;
    int is_stdin = files[descriptor].is_standard;
    *name = is_stdin ? "stdin" : "a file";
    long given = is_stdin ? __sleave_read_stdin(size, from) : -1;
    if (given >= 0)
        return given;
    if (!is_stdin && __sleave_files_are_written)
        __sleave_unsupported("reading a file after one was opened for writing");
    if (files[descriptor].blocks == __sleave_input_length()) {
        if (!__sleave_input("end of file", 1))
            __sleave_beyond(*name);
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
    const char *name = NULL;
    __VERIFIER_atomic_begin();
    long count = take_block(descriptor, size, &from, &name);
    __VERIFIER_atomic_end();
    if (from != NULL)
        memcpy(block, from, (size_t)count);
    else if (count > 0)
        __sleave_fill(block, size, (size_t)count, name);
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
    __sleave_files_are_written = 1;
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

/* What was opened stays what it is until it is closed, and what is there from the start as well. */
static int is_terminal(int descriptor)
{
    static const char *const names[STANDARD] = {"isatty(0)", "isatty(1)", "isatty(2)"};
    if (files[descriptor].is_standard)
        return (int)__sleave_fixed_input(names[descriptor], 1);
    if (files[descriptor].kind == UNCLEAR)
        files[descriptor].kind = __sleave_input("isatty", 1) ? TERMINAL : NO_TERMINAL;
    return files[descriptor].kind == TERMINAL;
}

int isatty(int descriptor)
{
    __VERIFIER_atomic_begin();
    int open = is_open(descriptor);
    int result = open && is_terminal(descriptor);
    __VERIFIER_atomic_end();
    if (!result)
        errno = open ? ENOTTY : EBADF;
    return result;
}
