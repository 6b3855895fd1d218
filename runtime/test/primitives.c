/* The machine's primitives, natively: inputs are random, and a failed assumption returns to the test. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

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

void __sleave_assume(int condition)
{
    if (!condition)
        longjmp(assumption_failed, 1);
}

char *__sleave_getenv(const char *name)
{
    return getenv(name);
}

int __sleave_thread_id(void)
{
    return thread_id;
}

_Noreturn void __sleave_unsupported(const char *what)
{
    printf("unsupported: %s\n", what);
    exit(1);
}
