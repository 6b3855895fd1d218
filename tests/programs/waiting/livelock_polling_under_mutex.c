// expect: bug (deadlock)
// needs: states
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ready;
void *w(void *a)
{
  for (;;) {
    pthread_mutex_lock(&m);
    int r = ready;
    pthread_mutex_unlock(&m);
    if (r) break;
  }
  return 0;
}
int main(void) { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0); pthread_join(t, 0); pthread_join(u, 0); }
