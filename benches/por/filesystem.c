/* The block allocation of a file system: each of N threads gives its inode a free block, with a lock for every inode and
   for every block. Up to 13 threads never want the same block; every further one meets one of the first.
   After the second figure of Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software"
   (POPL 2005). */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 16
#endif

#define INODES 32
#define BLOCKS 26

static pthread_mutex_t inode_locks[INODES], block_locks[BLOCKS];
static int inodes[INODES]; /* the number of its block plus one, or 0 */
static int taken[BLOCKS];

static void *allocate(void *arg)
{
    int inode = (int)(intptr_t)arg % INODES;

    pthread_mutex_lock(&inode_locks[inode]);
    if (inodes[inode] == 0) {
        int block = inode * 2 % BLOCKS;
        int tried = 1;
        for (;;) {
            pthread_mutex_lock(&block_locks[block]);
            if (!taken[block])
                break;
            pthread_mutex_unlock(&block_locks[block]);
            block = (block + 1) % BLOCKS;
            tried++;
        }
        taken[block] = 1;
        inodes[inode] = block + 1;
        pthread_mutex_unlock(&block_locks[block]);
        assert(tried <= N); /* no more than N blocks are ever taken */
    }
    pthread_mutex_unlock(&inode_locks[inode]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < INODES; k++)
        pthread_mutex_init(&inode_locks[k], NULL);
    for (int k = 0; k < BLOCKS; k++)
        pthread_mutex_init(&block_locks[k], NULL);
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, allocate, (void *)(intptr_t)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
