// Two threads take places from a counter without a lock of their own between the check and the use: the second may be far behind the end.
#include <pthread.h>

int used, small[4], large[256];

void *take(void *size) {
    if (used == 0) {
        small[used] = 1; //~ BUG(memory)
    }
    used += (int)(long)size;
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, take, (void *)100L);
    pthread_create(&second, 0, take, (void *)100L);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return large[0];
}
