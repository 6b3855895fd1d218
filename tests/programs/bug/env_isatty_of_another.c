#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    int before = isatty(1);
    close(1);
    if (open("file", O_RDWR) == 1)
        assert(isatty(1) == before); //~ BUG(assertion)
    return 0;
}
