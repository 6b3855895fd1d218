// The process ends within an atomic section: nobody sees what the section wrote.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int number;

static void *leave(void *arg)
{
    __VERIFIER_atomic_begin();
    number = 1;
    _exit(0);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    assert(number == 0);
    pthread_join(thread, NULL);
    return 0;
}
