// pthread_exit in main runs the destructors of its keys.
#include <assert.h>
#include <pthread.h>
pthread_key_t k;
void d(void *v)
{
    assert(0); //~ BUG(assertion)
}
int main()
{
    pthread_key_create(&k, d);
    pthread_setspecific(k, (void *)1);
    pthread_exit(0);
}
