// expect: safe
// needs: states
// Each thread alone goes round for ever, but one sees what the other changes and changes back.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *f(void *a) { for (;;) { x = 1; x = 0; if (y) break; } return 0; }
void *g(void *a) { while (!x) {} y = 1; return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); }
