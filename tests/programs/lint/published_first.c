// An item is filled in after it was put on the list.
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
        pthread_mutex_lock(&m);
        item->next = list;
        list = item;
        pthread_mutex_unlock(&m);
        item->number = i; //~ WARN(race)
    }
    pthread_mutex_lock(&m);
    int sum = 0;
    for (struct item *item = list; item; item = item->next)
        sum += item->number; //~ WARN(race)
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
