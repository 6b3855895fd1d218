// glibc passes the arguments of main.
#include <assert.h>

__attribute__((constructor)) void begin(int count, char **arguments) { assert(count >= 0 && arguments); }

int main(void) { return 0; } //~ UNKNOWN(unmodelled instruction: a constructor with arguments)
