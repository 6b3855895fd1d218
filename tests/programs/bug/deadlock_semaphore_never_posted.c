// main waits for a semaphore that nobody posts.
#include <semaphore.h>

static sem_t s;

int main(void)
{
    sem_init(&s, 0, 0);
    sem_wait(&s); //~ BUG(deadlock)
    return 0;
}
