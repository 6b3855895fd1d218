/* An airline issues more tickets than it has seats, by CUSHION, and has each sold by an agent, a
   thread of its own. Agents count what is sold; one that finds the flight oversold says so, and the
   airline takes one sale back and sends no more agents. It learns of that too late if all agents
   are sent before they sell: then more is sold in the end than there are seats.
   P2, Table 2, Airline (15,3), (20,2), (20,1) (-DTICKETS=15 -DCUSHION=3, ...); the algorithm is
   that of the program of the same name among the examples of Java PathFinder. There are no inputs,
   no lock, and the airline waits for nobody. More than TICKETS - CUSHION sales must be counted: 13,
   19 and 20, the paper's numbers of refinements. It has 619, 1230 and 1248 states. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef TICKETS
#define TICKETS 15
#endif
#ifndef CUSHION
#define CUSHION 3
#endif

enum { SEATS = TICKETS - CUSHION };

static int seats_sold;
static bool stop_sales;

static void *sell(void *arg)
{
    seats_sold++;
    if (seats_sold > SEATS)
        stop_sales = true;
    return arg;
}

int main(void)
{
    pthread_t agents[TICKETS];
    for (int k = 0; k < TICKETS; k++) {
        if (stop_sales) {
            seats_sold--;
            break;
        }
        pthread_create(&agents[k], NULL, sell, NULL);
    }
    if (seats_sold > SEATS)
        assert(false); /* the target */
    return 0;
}
