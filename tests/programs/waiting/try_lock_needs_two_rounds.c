// expect: bug (assertion)
// needs: states
// The second lock that is tried is taken only if the poller makes another round, with nothing changed since its first.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stop;
void *poll(void *a)
{
  for (;;) {
    pthread_mutex_lock(&m);
    int s = stop;
    pthread_mutex_unlock(&m);
    if (s) break;
  }
  return 0;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, poll, 0);
  if (pthread_mutex_trylock(&m)) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (pthread_mutex_trylock(&m)) assert(0);
  }
  return 0;
}
