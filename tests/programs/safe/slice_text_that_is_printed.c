// What is printed ends where memory says so: behind the zero that another thread overwrites is one more.
#include <pthread.h>
#include <stdio.h>

char text[5] = "abc";

void *change(void *unused) {
    text[3] = 'd';
    return unused;
}

int main(void) {
    pthread_t changer;
    pthread_create(&changer, 0, change, 0);
    printf("%s\n", text);
    pthread_join(changer, 0);
    return 0;
}
