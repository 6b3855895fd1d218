// Inline assembly `lock cmpxchg`: two threads claim a slot, exactly one gets it.
#include <assert.h>
#include <pthread.h>

static int slot;
static int winners;

static inline int cmpxchg(volatile int *p, int old, int new)
{
    int seen;
    __asm__ __volatile__("lock; cmpxchgl %2,%1"
                         : "=a"(seen), "+m"(*p)
                         : "r"(new), "0"(old)
                         : "memory");
    return seen;
}

static void *claim(void *id)
{
    return (void *)(long)(cmpxchg(&slot, 0, (int)(long)id) == 0);
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, 0, claim, (void *)1);
    pthread_create(&b, 0, claim, (void *)2);
    pthread_join(a, &first);
    pthread_join(b, &second);
    winners = (int)(long)first + (int)(long)second;
    assert(winners == 1);
    assert(slot == (first ? 1 : 2));
    return 0;
}
