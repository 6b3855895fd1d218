/* A file system: N threads each look whether their file has a block, and if not take the first free one from a place of its
   own on. Which files have one is the input. There are fewer blocks than the last thread believes: its assertion fails.
   P1, Table 2, fsbenchbad (8 threads); after Flanagan and Godefroid, "Dynamic partial-order reduction for model checking
   software" (POPL 2005), and SCTBench's fsbench_bad. So few threads never meet; the 256 = 2^8 runs of DPOR are those of the
   inputs, in the paper and here. As nothing is shared in any run, that is also the number of all schedules of Sleave. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 8
#endif

#define BLOCKS (2 * N - 2)

extern _Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t inode_locks[N], block_locks[BLOCKS];
static int inodes[N];
static bool busy[BLOCKS];

static void *create_file(void *arg)
{
    int me = (int)(intptr_t)arg;
    pthread_mutex_lock(&inode_locks[me]);
    if (__VERIFIER_nondet_bool()) {
        int block = 2 * me;
        assert(block < BLOCKS);
        while (inodes[me] == 0) {
            pthread_mutex_lock(&block_locks[block]);
            if (!busy[block]) {
                busy[block] = true;
                inodes[me] = block + 1;
            }
            pthread_mutex_unlock(&block_locks[block]);
            block = (block + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_locks[me]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < N; k++)
        pthread_mutex_init(&inode_locks[k], NULL);
    for (int k = 0; k < BLOCKS; k++)
        pthread_mutex_init(&block_locks[k], NULL);
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, create_file, (void *)(intptr_t)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
