/* Dekker's mutual exclusion of two threads. Nobody else changes the variable of a critical section: safe.
   P1, Table 2, dekkertrue; after Dijkstra, "Cooperating sequential processes" (1965). There are no inputs. The paper unrolls
   the loops that wait; Sleave goes on when what they wait for is written. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

static bool wants[2];
static int turn;
static int owner;

static void *enter(void *arg)
{
    int me = arg != NULL, other = 1 - me;
    wants[me] = true;
    while (wants[other]) {
        if (turn != me) {
            wants[me] = false;
            while (turn != me)
                ;
            wants[me] = true;
        }
    }
    owner = me;
    assert(owner == me);
    turn = other;
    wants[me] = false;
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, enter, NULL);
    pthread_create(&u, NULL, enter, (void *)(intptr_t)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
