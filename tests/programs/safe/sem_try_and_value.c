// sem_trywait and sem_getvalue; errno tells why trywait failed.
#include <assert.h>
#include <errno.h>
#include <semaphore.h>

int main(void)
{
    sem_t s;
    int value;
    sem_init(&s, 0, 1);
    sem_post(&s);
    sem_getvalue(&s, &value);
    assert(value == 2);
    assert(sem_trywait(&s) == 0);
    assert(sem_wait(&s) == 0);
    assert(sem_trywait(&s) == -1 && errno == EAGAIN);
    sem_getvalue(&s, &value);
    assert(value == 0);
    return 0;
}
