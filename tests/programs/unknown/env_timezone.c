// A variable of libc that Sleave does not define.
#include <assert.h>
#include <time.h>

int main(void)
{
    assert(timezone == 0); //~ UNKNOWN(undefined variable: timezone)
    return 0;
}
