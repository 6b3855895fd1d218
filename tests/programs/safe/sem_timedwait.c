// sem_timedwait on a semaphore nobody posts times out instead of blocking.
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <time.h>

int main(void)
{
    sem_t s;
    struct timespec soon = {0, 0};
    sem_init(&s, 0, 0);
    assert(sem_timedwait(&s, &soon) == -1);
    assert(errno == ETIMEDOUT);
    return 0;
}
