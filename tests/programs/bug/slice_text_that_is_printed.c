// What is printed ends where memory says so: another thread overwrites the zero.
#include <pthread.h>
#include <stdio.h>

char text[4] = "abc";

void *change(void *unused) {
    text[3] = 'd';
    return unused;
}

int main(void) {
    pthread_t changer;
    pthread_create(&changer, 0, change, 0);
    printf("%s\n", text); //~ BUG(memory)
    pthread_join(changer, 0);
    return 0;
}
