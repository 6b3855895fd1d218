// Bit and flag instructions as kernels write them.
#include <assert.h>

static int word = 5;

static int test_and_set(int nr)
{
    int old;
    __asm__ __volatile__("lock; btsl %2,%1\n\tsbbl %0,%0" : "=r"(old), "+m"(word) : "Ir"(nr) : "memory");
    return old;
}

static int test_and_clear(int nr)
{
    int old;
    __asm__ __volatile__("lock; btrl %2,%1; sbbl %0,%0" : "=r"(old), "+m"(word) : "Ir"(nr) : "memory");
    return old;
}

static int test_and_change(int nr)
{
    unsigned char old;
    __asm__ __volatile__("lock; btcl %2,%1; setc %0" : "=qm"(old), "+m"(word) : "Ir"(nr) : "memory");
    return old;
}

static int add_is_negative(int n)
{
    unsigned char negative;
    __asm__ __volatile__("lock; addl %2,%0; sets %1" : "+m"(word), "=qm"(negative) : "ir"(n) : "memory");
    return negative;
}

static int dec_and_test(void)
{
    unsigned char zero;
    __asm__ __volatile__("lock; decl %0; sete %1" : "+m"(word), "=qm"(zero) : : "memory");
    return zero;
}

static int try_cmpxchg(int *expected, int desired)
{
    unsigned char ok;
    int old = *expected;
    __asm__ __volatile__("lock; cmpxchgl %[desired], %[word]\n\tsetz %[ok]"
                         : [ok] "=qm"(ok), [word] "+m"(word), [old] "+a"(old)
                         : [desired] "r"(desired)
                         : "memory");
    if (!ok)
        *expected = old;
    return ok;
}

int main(void)
{
    assert(test_and_set(0) == -1 && test_and_set(1) == 0 && word == 7);
    assert(test_and_clear(2) == -1 && test_and_clear(2) == 0 && word == 3);
    assert(test_and_change(4) == 0 && word == 19 && test_and_change(4) == 1 && word == 3);
    assert(add_is_negative(-4) == 1 && word == -1 && add_is_negative(3) == 0 && word == 2);
    assert(dec_and_test() == 0 && dec_and_test() == 1 && word == 0);
    int expected = 9;
    assert(!try_cmpxchg(&expected, 4) && expected == 0 && word == 0);
    assert(try_cmpxchg(&expected, 4) && expected == 0 && word == 4);
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("rep; nop" ::: "memory");
    return 0;
}
