// A structure is copied with its mutex before anybody can hold it.
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static struct account account = {PTHREAD_MUTEX_INITIALIZER, 0};

static void *pay(void *arg)
{
    struct account *mine = arg;
    pthread_mutex_lock(&mine->mutex);
    mine->balance++;
    pthread_mutex_unlock(&mine->mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct account copy = account;
    pthread_create(&threads[0], NULL, pay, &account);
    pthread_create(&threads[1], NULL, pay, &copy);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(account.balance == 1 && copy.balance == 1);
    return 0;
}
