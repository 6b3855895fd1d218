// sleave: --run 'look(all)' --run 'grow(all)'
// expect: bug (assertion)
// Members of all kinds are inputs.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>

enum colour { RED, GREEN };

struct all {
    bool flag;
    enum colour colour;
    unsigned low : 3, high : 5;
    union {
        int number;
        float real;
    };
    struct {
        long deep;
    } inner;
    char name[4];
    char *text;
    void *block;
    double *exact;
    int (*function)(int);
    struct all *others[2];
    struct unknown *unknown;
    sem_t permits;
    pthread_rwlock_t lock;
};

static int count;

void grow(struct all *all)
{
    if (all)
        count++;
}

void look(struct all *all)
{
    if (!all || all->function || all->unknown || sem_trywait(&all->permits) != 0)
        return;
    pthread_rwlock_rdlock(&all->lock);
    assert(all->flag == 0 || all->flag == 1);
    if (all->flag && all->colour == GREEN && all->low == 5 && all->high == 17 && all->number == 7 &&
        all->inner.deep == -1 && all->name[1] == 'x' && all->text && strcmp(all->text, "ab") == 0 &&
        all->block && all->exact && all->others[1] == all && count == 1)
        assert(0);
    pthread_rwlock_unlock(&all->lock);
}
