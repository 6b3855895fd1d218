// Where the block lies does not say how large it is.
#include <pthread.h>
#include <stdlib.h>

int size = 16;
char *block;

void *shrink(void *unused) {
    size = 8;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, shrink, 0);
    block = calloc(1, size);
    pthread_join(thread, 0);
    block[12] = 1; //~ BUG(memory)
    return 0;
}
