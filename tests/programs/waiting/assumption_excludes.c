// expect: safe
// needs: states
// Where the assumption does not hold the execution does not count, whatever the other thread does for ever.
#include <pthread.h>
extern void __VERIFIER_assume(int);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *a)
{
  x = 2;
  __VERIFIER_assume(x == 0);
  return 0;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  while (!(x == 1)) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
