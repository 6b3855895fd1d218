// Inline assembly `xchg` as a test-and-set, with mfence, pause and a compiler barrier.
#include <assert.h>
#include <pthread.h>

static volatile int taken;

static inline int xchg(volatile int *p, int v)
{
    __asm__ __volatile__("xchgl %0,%1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

static void *grab(void *arg)
{
    __asm__ __volatile__("" ::: "memory");
    long got = xchg(&taken, 1) == 0;
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("pause");
    __asm__ __volatile__("rep; nop" ::: "memory");
    return (void *)got;
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, 0, grab, 0);
    pthread_create(&b, 0, grab, 0);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert((long)first + (long)second == 1);
    return 0;
}
