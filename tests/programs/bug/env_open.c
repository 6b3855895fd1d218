// open gives a descriptor or an error.
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    int f = open("data", O_RDONLY);
    if (f < 0)
        return 1;
    char c = 0;
    if (read(f, &c, 1) == 1)
        assert(c != 'y'); //~ BUG(assertion)
    close(f);
    return 0;
}
