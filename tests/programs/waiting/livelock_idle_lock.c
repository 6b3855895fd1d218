// expect: bug (deadlock)
// needs: states
// The last thread goes round for ever, with a lock in every round that nobody else uses. What main writes shows to be shared late.
#include <pthread.h>
static int g0 = 1;
static int g1 = 0;
static pthread_mutex_t g4 = PTHREAD_MUTEX_INITIALIZER;
static void *thread2(void *unused) {
    while (!(g1 == 1)) {
        pthread_mutex_lock(&g4);
        pthread_mutex_unlock(&g4);
    }
    return 0;
}
static void *thread3(void *unused) {
    g1 = 2;
    g0 = 1;
    return 0;
}
int main(void) {
    pthread_t h2;
    pthread_t h3;
    pthread_create(&h2, 0, thread2, 0);
    pthread_create(&h3, 0, thread3, 0);
    g0 = 2;
    pthread_join(h2, 0);
    return 0;
}
