// sleave: --por none --prune none
/* What was computed before setjmp is there when it returns again, though nothing between setjmp and longjmp reads it. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static int shared;

static void *jumper(void *arg)
{
    int kept = *(int *)arg + 1;
    jmp_buf buffer;

    if (setjmp(buffer) == 0) {
        shared++;
        shared++;
        longjmp(buffer, 1);
    }
    assert(kept == 8);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int seven = 7;

    pthread_create(&thread, NULL, jumper, &seven);
    shared++;
    shared++;
    pthread_join(thread, NULL);
    return 0;
}
