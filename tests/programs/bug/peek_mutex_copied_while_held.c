// A structure is copied with its mutex, which may be held. The copy is held for ever.
#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static struct account account = {PTHREAD_MUTEX_INITIALIZER, 0};

static void *pay(void *arg)
{
    pthread_mutex_lock(&account.mutex);
    account.balance++;
    pthread_mutex_unlock(&account.mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, pay, NULL);
    struct account copy = account;
    pthread_mutex_lock(&copy.mutex); //~ BUG(deadlock)
    pthread_mutex_unlock(&copy.mutex);
    pthread_join(thread, NULL);
    return 0;
}
