// sleave: --stdin ../README.md
// What is opened as descriptor 0 is not what the standard input was.
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    close(0);
    char byte = 0;
    if (open("data", O_RDONLY) == 0 && read(0, &byte, 1) == 1)
        assert(byte == '#'); //~ BUG(assertion)
    return 0;
}
