// expect: bug (race)
// sleave: --property race
#include <pthread.h>
int x;
void *f(void *a) { while (!x) {} return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 0; pthread_join(t, 0); }
