// open gives the lowest descriptor that is free.
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    close(0);
    int f = open("/dev/null", O_RDONLY);
    assert(f != 0); //~ BUG(assertion)
    return 0;
}
