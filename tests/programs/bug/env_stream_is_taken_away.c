// Another thread takes the stream away.
#include <pthread.h>
#include <stdio.h>

FILE *out;

void *take(void *unused) {
    out = 0;
    return unused;
}

int main(void) {
    pthread_t taker;
    out = stdout;
    pthread_create(&taker, 0, take, 0);
    fputc('x', out); //~ BUG(memory)
    pthread_join(taker, 0);
    return 0;
}
