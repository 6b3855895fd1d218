#include <pthread.h>
#include <string.h>
struct account { pthread_mutex_t m; int balance; };
static struct account g5, g6;
static void *thread1(void *unused) { pthread_mutex_lock(&g6.m); pthread_mutex_lock(&g5.m); return 0; }
static void *thread2(void *unused) { memcpy(&g5, &g6, sizeof g5); return 0; }
int main(void) {
    pthread_t h1, h2;
    pthread_mutex_init(&g5.m, 0);
    pthread_mutex_init(&g6.m, 0);
    pthread_create(&h1, 0, thread1, 0);
    pthread_create(&h2, 0, thread2, 0);
    pthread_join(h1, 0);
    return 0;
}
