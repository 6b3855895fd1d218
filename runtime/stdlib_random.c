/*
 * Random numbers are inputs: every call gives any value of the range, independent of seed and of earlier calls. That includes every
 * sequence a generator can give, so a program that is safe here is safe with any of them; a program that relies on the sequence of a
 * seed may show a fault that its generator never reaches. RAND_MAX is the largest int.
 */
#include "sleave_runtime.h"

static int non_negative_input(const char *name)
{
    int value = (int)__sleave_input(name, 32);
    __sleave_assume(value >= 0);
    return value;
}

int rand(void)
{
    return non_negative_input("rand");
}

void srand(unsigned seed)
{
    (void)seed;
}

int rand_r(unsigned *seed)
{
    /* What is made of the seed is any number, too; but it is read and written. */
    unsigned was = *(volatile unsigned *)seed;
    (void)was;
    *seed = (unsigned)__sleave_input("rand_r.seed", 32);
    return non_negative_input("rand_r");
}

long random(void)
{
    return non_negative_input("random");
}

void srandom(unsigned seed)
{
    (void)seed;
}

long lrand48(void)
{
    return non_negative_input("lrand48");
}

long mrand48(void)
{
    return (int)__sleave_input("mrand48", 32);
}

/* The 48 bits of the generator, as a fraction. */
double drand48(void)
{
    uint64_t bits = __sleave_input("drand48", 64);
    __sleave_assume(bits < (uint64_t)1 << 48);
    return (double)bits / (double)((uint64_t)1 << 48);
}

void srand48(long seed)
{
    (void)seed;
}
