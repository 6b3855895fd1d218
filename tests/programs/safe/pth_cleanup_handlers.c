// Cleanup handlers run at pthread_exit, the innermost first, and at a pop that asks for it.
#include <pthread.h>
#include <assert.h>
static int log_[4], n;
static void note(void *arg) { log_[n++] = *(int *)arg; }
static void deep(void) { pthread_exit((void *)7); }
static void *work(void *arg)
{
    int one = 1, two = 2, three = 3;
    pthread_cleanup_push(note, &one);
    pthread_cleanup_push(note, &two);
    pthread_cleanup_push(note, &three);
    pthread_cleanup_pop(1);
    if (arg) deep();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}
int main(void)
{
    pthread_t t; void *r;
    pthread_create(&t, NULL, work, &n);
    pthread_join(t, &r);
    assert(r == (void *)7);
    assert(n == 3 && log_[0] == 3 && log_[1] == 2 && log_[2] == 1);
    return 0;
}
