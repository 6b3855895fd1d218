// runs: 10
// Two atomic sections against three plain writes: C(5,2).
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y;
static pthread_t t1, t2;

static void *sections(void *arg)
{
    __VERIFIER_atomic_begin();
    x++;
    y++;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    x++;
    y++;
    __VERIFIER_atomic_end();
    return NULL;
}

static void *writes(void *arg)
{
    x = 1;
    y = 1;
    x = 2;
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, sections, NULL);
    pthread_create(&t2, NULL, writes, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
