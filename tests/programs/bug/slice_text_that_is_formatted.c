// How much is written to a buffer depends on a text that another thread makes longer.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
char name[8] = "abc", copy[4];

void *rename_it(void *unused) {
    pthread_mutex_lock(&mutex);
    strcpy(name, "abcd");
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t renamer;
    pthread_create(&renamer, 0, rename_it, 0);
    pthread_mutex_lock(&mutex);
    sprintf(copy, "%s", name); //~ BUG(memory)
    pthread_mutex_unlock(&mutex);
    pthread_join(renamer, 0);
    return 0;
}
