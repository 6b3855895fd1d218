// Asking for the size of memory that another thread may have freed.
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

void *release(void *memory) {
    free(memory);
    return 0;
}

int main(void) {
    pthread_t releaser;
    void *memory = malloc(4);
    pthread_create(&releaser, 0, release, memory);
    size_t size = malloc_usable_size(memory); //~ BUG(memory)
    (void)size;
    pthread_join(releaser, 0);
    return 0;
}
