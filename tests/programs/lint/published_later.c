// An item is filled in before it is put on the list; whoever finds it there finds it filled in.
#include <pthread.h>
#include <stdlib.h>

struct item {
    int number;
    struct item *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *list;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        struct item *item = malloc(sizeof *item);
        item->number = i;
        pthread_mutex_lock(&m);
        item->next = list;
        list = item;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    int sum = 0;
    for (struct item *item = list; item; item = item->next)
        sum += item->number;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
