// The number of the process is any.
#include <assert.h>
#include <unistd.h>

int main(void)
{
    assert(getpid() == getpid() && getpid() > 0);
    assert(getpid() % 2 == 0); //~ BUG(assertion)
    return 0;
}
