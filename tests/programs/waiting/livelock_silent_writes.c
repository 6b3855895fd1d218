// expect: bug (deadlock)
// Two threads store 1 over 1 for ever: nobody gives the lock back.
#include <pthread.h>
#include <stdatomic.h>
atomic_int l = 1;
void *w(void *a) { while (atomic_exchange(&l, 1)) {} return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0); pthread_join(t, 0); pthread_join(u, 0); }
