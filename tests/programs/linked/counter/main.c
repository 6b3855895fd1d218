// expect: safe
// Two files make one program. Each has a static function `amount` of its own.
#include <assert.h>
#include <pthread.h>

extern void *worker(void *);
extern int total;

static int amount(void) { return 1; }

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total + amount() == 21);
    return 0;
}
