/* A block of a disk is allocated to an inode and freed by two threads. Which lock protects the block changes with time: that
   of the inode once the block is busy, that of the busy flag before. Nobody else writes the block meanwhile: safe.
   P1, Table 2, timevarmutextrue; the algorithm is that of Flanagan, Freund and Qadeer, "Thread-modular verification for
   shared-memory programs" (ESOP 2002). There are no inputs: the block is free. Accesses of one thread alone are no scheduling
   points of Sleave, and there are fewer schedules than in the paper. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER, busy_lock = PTHREAD_MUTEX_INITIALIZER;
static bool inode, busy;
static int block;

static void *allocate(void *arg)
{
    pthread_mutex_lock(&inode_lock);
    if (!inode) {
        pthread_mutex_lock(&busy_lock);
        busy = true;
        pthread_mutex_unlock(&busy_lock);
        inode = true;
    }
    block = 1;
    assert(block == 1);
    pthread_mutex_unlock(&inode_lock);
    return arg;
}

static void *release(void *arg)
{
    pthread_mutex_lock(&busy_lock);
    if (!busy) {
        block = 0;
        assert(block == 0);
    }
    pthread_mutex_unlock(&busy_lock);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, allocate, NULL);
    pthread_create(&u, NULL, release, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
