// Many keys can be made, and have values of their own; one that was deleted is none.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#define KEYS 70

int main(void)
{
    static pthread_key_t keys[KEYS];
    pthread_key_t one_more;
    for (int i = 0; i < KEYS; i++)
        assert(pthread_key_create(&keys[i], NULL) == 0);
    pthread_setspecific(keys[5], &keys[5]);
    pthread_setspecific(keys[60], &keys[60]);
    assert(pthread_getspecific(keys[5]) == &keys[5]);
    assert(pthread_getspecific(keys[60]) == &keys[60]);
    assert(pthread_getspecific(keys[61]) == NULL);
    assert(pthread_key_delete(keys[60]) == 0);
    assert(pthread_key_delete(keys[60]) == EINVAL);
    assert(pthread_setspecific(keys[60], &keys[5]) == EINVAL);
    assert(pthread_key_create(&one_more, NULL) == 0);
    assert(pthread_getspecific(one_more) == NULL);
    return 0;
}
