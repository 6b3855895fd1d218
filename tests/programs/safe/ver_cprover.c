// The intrinsics of CBMC programs.
#include <pthread.h>
extern void __CPROVER_assume(_Bool);
extern void __CPROVER_assert(_Bool, const char *);
extern void __CPROVER_atomic_begin(void);
extern void __CPROVER_atomic_end(void);
extern int nondet_int(void);
extern unsigned char nondet_uchar(void);
extern _Bool nondet_bool(void);

static int counter;

static void *worker(void *arg)
{
    __CPROVER_atomic_begin();
    counter = counter + 1;
    __CPROVER_atomic_end();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = nondet_int();
    __CPROVER_assume(x > 1);
    __CPROVER_assert(x != 0, "x is positive");
    __CPROVER_assert(nondet_uchar() < 256, "a byte");
    _Bool b1 = nondet_bool();
    __CPROVER_assert(b1 == 0 || b1 == 1, "a truth value");
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    __CPROVER_assert(counter == 2, "both counted");
    return 0;
}
