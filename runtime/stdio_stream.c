/*
 * Streams. Nothing is buffered, and output itself is the machine's: it finds the descriptor in the first int of a stream.
 *
 * What can be read is an input: every byte is any byte, and the end, or an error, comes at any time. Only so many bytes are made up
 * (--input-length), since a program decides something at most of them; who reads on ends in `unknown`, as does who reads a file after the
 * program has opened one for writing, which may be the same. Large blocks are made up as a whole, and so many of them. What --stdin gives
 * is read as it is, to its end.
 *
 * A stream is used in atomic sections, as glibc uses it under a lock. What is read goes into the program's memory outside of them, since
 * others may look there. A stream has the size of glibc's FILE with every pointer of that null, so
 * that macros of old headers that look into it find an empty buffer.
 */
#include "sleave_runtime.h"

#define EOF (-1)
#define EBADF 9
#define MOST_ERRORS 133

typedef struct {
    int descriptor;
    int glibc[27];
    /* What has been made up so far; the byte before it is there, for ungetc. Null: nothing was read yet. */
    unsigned char *contents;
    size_t position;
    size_t made;
    unsigned length; /* so much is made up at most */
    unsigned blocks; /* so many were made up */
    int is_given;    /* all that there is, is made */
    int has_ended;
    int at_end;
    int has_failed;
    int is_read;
    int is_written;
    const char *name;
    /* Of a standard stream that was closed: freed memory, to which whoever uses it goes. */
    char *gone;
    int rest[10];
} FILE;

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void *realloc(void *block, size_t size);

/* Any byte, or -1: the end. */
int __sleave_byte(const char *stream);
void __sleave_make_symbolic(void *block, size_t size, const char *name);
/* What --stdin gives, behind a byte that is free; its size is -1 if there is none. */
unsigned char *__sleave_stdin(void);
long __sleave_stdin_size(void);
unsigned __sleave_input_length(void);
/* Ends the execution as `unknown`: more is looked at than is made up. */
_Noreturn void __sleave_beyond(const char *what);
/* In files.c. */
int __sleave_open_descriptor(int is_read, int is_written);
int __sleave_close_descriptor(int descriptor);
int __sleave_is_standard(int descriptor);
extern int __sleave_files_are_written;

static FILE input = {.descriptor = 0, .is_read = 1, .name = "stdin"};
static FILE output = {.descriptor = 1, .is_written = 1};
static FILE errors = {.descriptor = 2, .is_written = 1};

/* Constant, so that the threads that print do not share a variable. */
FILE *const stdin = &input;
FILE *const stdout = &output;
FILE *const stderr = &errors;

static void fail(void)
{
    uint8_t number = (uint8_t)__sleave_input("errno", 8);
    __sleave_assume((number >= 1) & (number <= MOST_ERRORS));
    errno = number;
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    strlen(path);
    if (*mode != 'r' && *mode != 'w' && *mode != 'a') {
        errno = EINVAL;
        return NULL;
    }
    int is_read = *mode == 'r', is_written = *mode != 'r';
    for (; *mode != 0 && *mode != ','; mode++)
        if (*mode == '+')
            is_read = is_written = 1;
    if (!__sleave_input("fopen succeeds", 1)) {
        fail();
        return NULL;
    }
    FILE *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return NULL;
    __VERIFIER_atomic_begin();
    __sleave_files_are_written |= is_written;
    int descriptor = __sleave_open_descriptor(is_read, is_written);
    __VERIFIER_atomic_end();
    *stream = (FILE){.descriptor = descriptor, .is_read = is_read, .is_written = is_written, .name = "a file"};
    return stream;
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return fopen(path, mode);
}

static int is_standard(const FILE *stream)
{
    return stream == &input || stream == &output || stream == &errors;
}

/* Those on the heap are freed when they are closed, and the machine sees it. */
static void use(const FILE *stream)
{
    if (stream->gone != NULL)
        (void)*(volatile char *)stream->gone;
}

int fclose(FILE *stream)
{
    use(stream);
    __VERIFIER_atomic_begin();
    int was_open = __sleave_close_descriptor(stream->descriptor);
    __VERIFIER_atomic_end();
    if (is_standard(stream)) {
        char *gone = __sleave_malloc(1);
        free(gone);
        stream->gone = gone;
    } else {
        if (stream->contents != NULL)
            free(stream->contents - 1);
        free(stream);
    }
    if (was_open)
        return 0;
    errno = EBADF;
    return EOF;
}

int fflush(FILE *stream)
{
    (void)stream;
    return 0;
}

int fileno(FILE *stream)
{
    use(stream);
    if (!is_standard(stream))
        __sleave_unsupported("fileno of a file");
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

/* Reading. All of this is called within atomic sections. */

static int prepare(FILE *stream)
{
    use(stream);
    if (!stream->is_read) {
        stream->has_failed = 1;
        errno = EBADF;
        return 0;
    }
    if (stream == &input && !__sleave_is_standard(0))
        __sleave_unsupported("reading standard input after its descriptor was closed");
    if (stream->contents != NULL)
        return 1;
    if (stream == &input && __sleave_stdin_size() >= 0) {
        stream->contents = __sleave_stdin() + 1;
        stream->made = (size_t)__sleave_stdin_size();
        stream->is_given = 1;
        return 1;
    }
    stream->length = __sleave_input_length();
    unsigned char *contents = __sleave_malloc(stream->length + 1);
    stream->contents = contents + 1;
    return 1;
}

static void end(FILE *stream)
{
    stream->has_ended = 1;
    stream->at_end = 1;
    if (!stream->is_given) {
        int failed = (int)__sleave_input("read error", 1);
        stream->has_failed |= failed;
        stream->at_end = !failed;
    }
}

static void check_files(const FILE *stream)
{
    if (stream != &input && __sleave_files_are_written)
        __sleave_unsupported("reading a file after one was opened for writing");
}

/* Whether the byte at the place is there. */
static int has(FILE *stream, size_t place)
{
    while ((ptrdiff_t)place >= (ptrdiff_t)stream->made) {
        if (stream->has_ended)
            return 0;
        check_files(stream);
        if (stream->is_given) {
            end(stream);
            return 0;
        }
        int is_beyond = stream->made == stream->length;
        int c = is_beyond ? -(int)__sleave_input("end of file", 1) : __sleave_byte(stream->name);
        if (c < 0) {
            end(stream);
            return 0;
        }
        if (is_beyond)
            __sleave_beyond(stream->name);
        stream->contents[stream->made++] = (unsigned char)c;
    }
    return 1;
}

static int take(FILE *stream)
{
    return has(stream, stream->position) ? stream->contents[(ptrdiff_t)stream->position++] : EOF;
}

int fgetc(FILE *stream)
{
    __VERIFIER_atomic_begin();
    int c = prepare(stream) ? take(stream) : EOF;
    __VERIFIER_atomic_end();
    return c;
}

int getc(FILE *stream) { return fgetc(stream); }
int _IO_getc(FILE *stream) { return fgetc(stream); }
int __uflow(FILE *stream) { return fgetc(stream); }
int getc_unlocked(FILE *stream) { return fgetc(stream); }
int fgetc_unlocked(FILE *stream) { return fgetc(stream); }
int getchar(void) { return fgetc(&input); }
int getchar_unlocked(void) { return fgetc(&input); }

int ungetc(int c, FILE *stream)
{
    if (c == EOF)
        return EOF;
    __VERIFIER_atomic_begin();
    if (!prepare(stream)) {
        c = EOF;
    } else {
        /* At the beginning there is room for one: the place of byte -1. */
        if (stream->position == (size_t)-1)
            __sleave_unsupported("ungetc of several characters");
        stream->position--;
        stream->contents[(ptrdiff_t)stream->position] = (unsigned char)c;
        stream->at_end = 0;
    }
    __VERIFIER_atomic_end();
    return c == EOF ? EOF : (unsigned char)c;
}

/* Takes what is there up to the delimiter, `most` bytes at most, and says where it lies. -1: nothing, since the stream has ended. */
static ptrdiff_t take_until(FILE *stream, int delimiter, size_t most, const unsigned char **from)
{
    ptrdiff_t length = 0;
    int c = EOF, has_ended = 1;
    __VERIFIER_atomic_begin();
    if (prepare(stream)) {
        *from = stream->contents + (ptrdiff_t)stream->position;
        has_ended = 0;
        for (; (size_t)length < most && c != delimiter && !has_ended; length += !has_ended) {
            c = take(stream);
            has_ended = c == EOF;
        }
        has_ended &= (length == 0) | stream->has_failed;
    }
    __VERIFIER_atomic_end();
    return has_ended ? -1 : length;
}

char *fgets(char *restrict line, int size, FILE *restrict stream)
{
    if (size <= 0)
        return NULL;
    const unsigned char *from;
    ptrdiff_t length = take_until(stream, '\n', (size_t)size - 1, &from);
    if (length < 0)
        return NULL;
    memcpy(line, from, (size_t)length);
    line[length] = 0;
    return line;
}

char *fgets_unlocked(char *restrict line, int size, FILE *restrict stream)
{
    return fgets(line, size, stream);
}

char *__fgets_chk(char *restrict line, size_t capacity, int size, FILE *restrict stream)
{
    (void)capacity;
    return fgets(line, size, stream);
}

char *gets(char *line)
{
    const unsigned char *from;
    ptrdiff_t length = take_until(&input, '\n', SLEAVE_UNLIMITED, &from);
    if (length < 0)
        return NULL;
    length -= from[length - 1] == '\n';
    memcpy(line, from, (size_t)length);
    line[length] = 0;
    return line;
}

long getdelim(char **restrict line, size_t *restrict capacity, int delimiter, FILE *restrict stream)
{
    const unsigned char *from;
    ptrdiff_t length = take_until(stream, delimiter, SLEAVE_UNLIMITED, &from);
    if (*line == NULL)
        *capacity = 0;
    if (length < 0)
        return -1;
    if (*capacity < (size_t)length + 1) {
        size_t larger = 2 * *capacity < (size_t)length + 1 ? 120 + (size_t)length : 2 * *capacity;
        char *moved = realloc(*line, larger);
        if (moved == NULL)
            return -1;
        *line = moved;
        *capacity = larger;
    }
    memcpy(*line, from, (size_t)length);
    (*line)[length] = 0;
    return length;
}

long __getdelim(char **restrict line, size_t *restrict capacity, int delimiter, FILE *restrict stream)
{
    return getdelim(line, capacity, delimiter, stream);
}

long getline(char **restrict line, size_t *restrict capacity, FILE *restrict stream)
{
    return getdelim(line, capacity, '\n', stream);
}

/* So many bytes of which the first `count` are new. Without a branch for each. */
static void fill_partly(unsigned char *to, size_t size, size_t count, const char *name)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)__sleave_input(name, 8);
        unsigned char mask = (unsigned char)-(int)(i < count);
        to[i] = (unsigned char)((byte & mask) | (to[i] & ~mask));
    }
}

/* How much there is of a block that is not made up byte by byte. */
static size_t take_block(FILE *stream, size_t size)
{
    if (stream->has_ended)
        return 0;
    check_files(stream);
    if (stream->blocks == stream->length) {
        if (!__sleave_input("end of file", 1))
            __sleave_beyond(stream->name);
        end(stream);
        return 0;
    }
    stream->blocks++;
    size_t count = (size_t)__sleave_input("bytes read", sizeof count * CHAR_BIT);
    __sleave_assume(count <= size);
    if (count != size)
        end(stream);
    return count;
}

/* The first `count` bytes become anything. */
void __sleave_fill(void *to, size_t size, size_t count, const char *name)
{
    if (count == size)
        __sleave_make_symbolic(to, size, name);
    else
        fill_partly(to, size, count, name);
}

size_t fread(void *restrict block, size_t size, size_t count, FILE *restrict stream)
{
    unsigned char *to = block;
    const unsigned char *from = NULL;
    size_t wanted = size * count, done = 0, more = 0;
    int is_small = 1;
    if (wanted == 0)
        return 0;
    __VERIFIER_atomic_begin();
    if (prepare(stream)) {
        from = stream->contents + (ptrdiff_t)stream->position;
        is_small = stream->is_given || stream->position + wanted + 1 <= stream->length + 1;
        for (; done < wanted; done++) {
            if (is_small ? !has(stream, stream->position) : (ptrdiff_t)stream->position >= (ptrdiff_t)stream->made)
                break;
            stream->position++;
        }
        if (!is_small && done < wanted)
            more = take_block(stream, wanted - done);
    }
    __VERIFIER_atomic_end();
    memcpy(to, from, done);
    if (!is_small && done < wanted)
        __sleave_fill(to + done, wanted - done, more, stream->name);
    return (done + more) / size;
}

size_t fread_unlocked(void *restrict block, size_t size, size_t count, FILE *restrict stream)
{
    return fread(block, size, count, stream);
}

size_t __fread_chk(void *restrict block, size_t capacity, size_t size, size_t count, FILE *restrict stream)
{
    (void)capacity;
    return fread(block, size, count, stream);
}

int feof(FILE *stream)
{
    __VERIFIER_atomic_begin();
    use(stream);
    int is = stream->at_end;
    __VERIFIER_atomic_end();
    return is;
}

int ferror(FILE *stream)
{
    __VERIFIER_atomic_begin();
    use(stream);
    int is = stream->has_failed;
    __VERIFIER_atomic_end();
    return is;
}

int feof_unlocked(FILE *stream) { return feof(stream); }
int ferror_unlocked(FILE *stream) { return ferror(stream); }

/* Behind the end of a terminal, or of a file that grows, there may be more. */
void clearerr(FILE *stream)
{
    __VERIFIER_atomic_begin();
    use(stream);
    stream->at_end = stream->has_failed = stream->has_ended = 0;
    __VERIFIER_atomic_end();
}

/* For scanf: the text from where the stream is, and going on behind what was matched. */

static int has_for_scan(void *stream, const char *at)
{
    FILE *file = stream;
    return has(file, (size_t)((const unsigned char *)at - file->contents));
}

int __sleave_scan_stream(void *stream, const char *format, va_list arguments, int binary_prefix)
{
    FILE *file = stream;
    int assigned = EOF;
    __VERIFIER_atomic_begin();
    struct sleave_stores stores;
    stores.count = 0;
    if (prepare(file)) {
        struct sleave_text text = {(const char *)file->contents + (ptrdiff_t)file->position, SLEAVE_UNLIMITED, has_for_scan, file};
        assigned = __sleave_scan(&text, format, arguments, binary_prefix, &stores);
        file->position = (size_t)((const unsigned char *)text.at - file->contents);
    }
    __VERIFIER_atomic_end();
    for (unsigned i = 0; i < stores.count; i++)
        __sleave_store(&stores.list[i]);
    return assigned;
}

/* For read: how much there is of what --stdin gives, and where; -1 if nothing is given. Within an atomic section. */
long __sleave_read_stdin(size_t size, const unsigned char **from)
{
    long done = 0;
    prepare(&input);
    if (!input.is_given)
        return -1;
    *from = input.contents + (ptrdiff_t)input.position;
    for (; (size_t)done < size && has(&input, input.position); done++)
        input.position++;
    return done;
}
