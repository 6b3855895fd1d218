/*
 * What the native tests share. The runtime is linked with each of its names prefixed by sl_ (run.sh), so that a test has both: glibc's
 * strlen and our sl_strlen. OURS(strlen) declares ours with the type that glibc's header gives the function.
 */
#ifndef CHECK_H
#define CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OURS(name) extern __typeof__(name) sl_##name

static int passed, failed;

#define CHECK(condition, ...)                                                                                                      \
    do {                                                                                                                           \
        if (condition) {                                                                                                           \
            passed++;                                                                                                              \
        } else if (failed++ < 20) {                                                                                                \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                                 \
            printf(__VA_ARGS__);                                                                                                   \
            printf("\n");                                                                                                          \
        }                                                                                                                          \
    } while (0)

static int finish(void)
{
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

/* Where an assumption that does not hold returns to (primitives.c). */
extern jmp_buf assumption_failed;

/* xorshift: the same inputs in every run. */
static inline uint32_t random_bits(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static inline unsigned below(unsigned limit)
{
    return random_bits() % limit;
}

#define PAGE 4096

/* `size` bytes in front of a page that cannot be accessed: a read behind them is a crash. `slot` tells simultaneous ones apart. */
static inline char *before_guard(size_t size, int slot)
{
    static char *pages[4];
    if (pages[slot] == NULL) {
        pages[slot] = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(pages[slot] + 2 * PAGE, PAGE, PROT_NONE);
    }
    return pages[slot] + 2 * PAGE - size;
}

static inline char *guarded(const char *text, int slot)
{
    return strcpy(before_guard(strlen(text) + 1, slot), text);
}

/* Up to `limit` - 1 characters of `alphabet`. */
static inline void random_text(char *text, unsigned limit, const char *alphabet)
{
    unsigned length = below(limit);
    for (unsigned i = 0; i < length; i++)
        text[i] = alphabet[below((unsigned)strlen(alphabet))];
    text[length] = 0;
}

static inline int sign(int value)
{
    return (value > 0) - (value < 0);
}

#endif
