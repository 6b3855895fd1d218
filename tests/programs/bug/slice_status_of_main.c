// What `main` returns reaches handlers of `on_exit`.
#define _DEFAULT_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

void *count(void *unused) {
    x = 1;
    x = 2;
    return unused;
}

void check(int status, void *unused) {
    assert(status != 1); //~ BUG(assertion)
}

int main(void) {
    pthread_t counter;
    on_exit(check, 0);
    pthread_create(&counter, 0, count, 0);
    return x;
}
