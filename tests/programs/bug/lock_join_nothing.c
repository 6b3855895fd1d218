// No thread was created.
#include <pthread.h>

int main(void)
{
    pthread_t t = 0;
    return pthread_join(t, NULL); //~ BUG(lock misuse)
}
