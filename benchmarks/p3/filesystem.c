/* A file system: THREADS threads each give a block to their file. A thread locks the file's inode, looks whether it has a block
   already, and if not tries one block after the other, each under the block's own lock, until one is not busy. All begin at the
   same block, and the first OCCUPIED of them are busy from the start. Two files never have the same block (with -DHOLDS); but
   which file gets the lower one is a matter of schedules, and that it is the first thread's fails (without).
   P3, Table 3: the idiom is that of the Frangipani file system, after Flanagan and Godefroid, "Dynamic partial-order reduction
   for model checking software" (POPL 2005). P3 does not print its programs. Its depths are multiples of the number of threads,
   and so they are here, for operations on shared memory and locks of a thread that meets no other:
      5  the block: lock, test, mark, enter it into the inode, unlock     (-DINODE=0)
      7  and around that the inode's lock                                  (-DINODE=1)
      8  and under that lock the test whether there is a block             (-DINODE=2)
     11  and a block that is busy before: lock, test, unlock               (-DINODE=2 -DOCCUPIED=1)
   Threads that meet are longer by three for each block that another one took. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif

#ifndef INODE
#define INODE 2
#endif

#ifndef OCCUPIED
#define OCCUPIED 0
#endif

#define BLOCKS (THREADS + OCCUPIED)

static pthread_mutex_t inode_locks[THREADS], block_locks[BLOCKS];
static int inodes[THREADS];
static bool busy[BLOCKS];

static void find_block(int file)
{
    int block = 0;
    for (;;) {
        pthread_mutex_lock(&block_locks[block]);
        if (!busy[block]) {
            busy[block] = true;
            inodes[file] = block + 1;
            pthread_mutex_unlock(&block_locks[block]);
            return;
        }
        pthread_mutex_unlock(&block_locks[block]);
        block = (block + 1) % BLOCKS;
    }
}

static void *create_file(void *arg)
{
    int file = (int)(intptr_t)arg;
#if INODE >= 1
    pthread_mutex_lock(&inode_locks[file]);
#endif
#if INODE >= 2
    if (inodes[file] == 0)
#endif
        find_block(file);
#if INODE >= 1
    pthread_mutex_unlock(&inode_locks[file]);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++)
        pthread_mutex_init(&inode_locks[k], NULL);
    for (int k = 0; k < BLOCKS; k++)
        pthread_mutex_init(&block_locks[k], NULL);
    for (int k = 0; k < OCCUPIED; k++)
        busy[k] = true;
    for (int k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, create_file, (void *)(intptr_t)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    for (int k = 1; k < THREADS; k++) {
#ifdef HOLDS
        for (int before = 0; before < k; before++)
            assert(inodes[before] != inodes[k]);
#else
        assert(inodes[k - 1] < inodes[k]);
#endif
    }
    return 0;
}
