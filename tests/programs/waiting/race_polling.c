// expect: bug (race)
// sleave: --property race
#include <pthread.h>
int progress, stop;
void *watch(void *a) { while (!stop) { int seen = progress; (void)seen; } return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, watch, 0); progress = 1; return 0; }
