// sleave: --property assertion
// The same with a call by pointer.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

/* The same address, of which a static analysis sees nothing: it goes from bit to bit by the way that is taken. */
static void *launder(void *pointer)
{
    uintptr_t from = (uintptr_t)pointer, to = 0;
    for (int i = 0; i < 64; i++)
        if (from >> i & 1)
            to |= (uintptr_t)1 << i;
    return (void *)to;
}

static int x, told;

static void set(void)
{
    x = 1;
}

static void *change(void *arg)
{
    void (*function)(void) = (void (*)(void))launder((void *)set);
    if (told)
        function();
    return arg;
}

static void *tell(void *arg)
{
    told = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, change, NULL);
    pthread_create(&threads[1], NULL, tell, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 0); //~ BUG(assertion)
    return 0;
}
