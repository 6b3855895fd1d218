// sleave: --property memory
// Both orders end with the same address; but of an element of the other array only if the first thread comes last.
#include <pthread.h>

int a[16], b[16];
int *array = b;
long index_in_it;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *distance) {
    pthread_mutex_lock(&m);
    array = a;
    index_in_it = (long)distance;
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *unused) {
    pthread_mutex_lock(&m);
    array = b;
    index_in_it = 0;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t s, t;
    long distance = ((long)b - (long)a) / (long)sizeof(int);
    pthread_create(&s, 0, first, (void *)distance);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    array[index_in_it] = 1; //~ BUG(memory)
    return 0;
}
