// An address is put together from a table of half bytes.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static int x;
static const unsigned char digits[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static int *copy(int *pointer)
{
    uintptr_t from = (uintptr_t)pointer, to = 0;
    for (int i = 60; i >= 0; i -= 4)
        to = to << 4 | digits[from >> i & 15];
    return (int *)to;
}

static void *change(void *arg)
{
    int *pointer = copy(&x);
    *pointer = 1;
    *pointer = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int seen = x;
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
