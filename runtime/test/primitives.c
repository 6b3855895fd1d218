/* The machine's primitives, natively: inputs are random, and a failed assumption returns to the test. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

jmp_buf assumption_failed;
int thread_id;

unsigned long long __sleave_input(const char *name, unsigned bits)
{
    unsigned long long value = 0;
    (void)name;
    for (int i = 0; i < 4; i++)
        value = value << 16 ^ (unsigned long long)rand();
    /* Small values now and then, so that narrow assumptions are met. */
    if (rand() % 2)
        value %= 1000000;
    return bits == 64 ? value : value & ((1ull << bits) - 1);
}

unsigned long long __sleave_fixed_input(const char *name, unsigned bits)
{
    (void)name;
    return 42 & ((1ull << bits) - 1);
}

void *__sleave_malloc(size_t size)
{
    return malloc(size);
}

void __sleave_assume(int condition)
{
    if (!condition)
        longjmp(assumption_failed, 1);
}

char *__sleave_text(const char *name)
{
    return getenv(name);
}

char *__sleave_environment(void)
{
    static char given[] = "SLEAVE_GIVEN=this\0SLEAVE_MISSING\0";
    return given;
}

int __sleave_environment_is_whole(void)
{
    return 0;
}

/* The standard input of the tests, behind a byte that is free. */
static unsigned char text[] = " 12 0x1f word\nsecond line\n\0x";

unsigned char *__sleave_stdin(void)
{
    return text;
}

long __sleave_stdin_size(void)
{
    return sizeof text - 2;
}

int __sleave_uses_descriptors(void)
{
    return 1;
}

unsigned __sleave_input_length(void)
{
    return 8;
}

int __sleave_byte(const char *stream)
{
    (void)stream;
    return rand() % 257 - 1;
}

void __sleave_make_symbolic(void *block, size_t size, const char *name)
{
    (void)name;
    memset(block, rand(), size);
}

_Noreturn void __sleave_beyond(const char *what)
{
    printf("too long: %s\n", what);
    exit(1);
}

void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}

int __sleave_thread_id(void)
{
    return thread_id;
}

_Noreturn void __sleave_unsupported(const char *what)
{
    printf("unsupported: %s\n", what);
    exit(1);
}
