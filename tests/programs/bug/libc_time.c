// The time is an input.
#include <assert.h>
#include <time.h>

int main(void)
{
    time_t now = time(NULL);
    assert(now % 60 != 59); //~ BUG(assertion)
    return 0;
}
