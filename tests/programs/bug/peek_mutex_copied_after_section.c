#include <pthread.h>
struct account { pthread_mutex_t m; int balance; };
static struct account g4, g5;
static void *thread1(void *unused) { pthread_mutex_lock(&g5.m); pthread_mutex_unlock(&g5.m); g4 = g5; return 0; }
static void *thread2(void *unused) { pthread_mutex_unlock(&g4.m); return 0; }
int main(void) {
    pthread_t h1, h2;
    pthread_mutex_init(&g4.m, 0);
    pthread_mutex_init(&g5.m, 0);
    pthread_create(&h1, 0, thread1, 0);
    pthread_create(&h2, 0, thread2, 0);
    pthread_join(h1, 0);
    return 0;
}
