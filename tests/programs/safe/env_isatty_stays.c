// A descriptor is a terminal or not until it is closed.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    assert(isatty(1) == isatty(1));
    int file = open("file", O_RDONLY);
    if (file < 0)
        return 0;
    assert(isatty(file) == isatty(file));
    close(file);
    assert(!isatty(file) && errno == EBADF);
    return 0;
}
