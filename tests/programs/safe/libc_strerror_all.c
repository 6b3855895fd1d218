// Every error number of Linux has its text.
#include <assert.h>
#include <string.h>

int main(void) {
    assert(strcmp(strerror(39), "Directory not empty") == 0);
    assert(strcmp(strerror(113), "No route to host") == 0);
    assert(strcmp(strerror(133), "Memory page has hardware error") == 0);
    assert(strcmp(strerror(134), "Unknown error 134") == 0);
}
