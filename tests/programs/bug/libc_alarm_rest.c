// What is left of an alarm is at most what it was set to, and something if it would have ended the process.
#include <assert.h>
#include <unistd.h>

int main(void)
{
    assert(alarm(100) == 0);
    unsigned rest = alarm(5);
    assert(rest > 0 && rest <= 100);
    assert(alarm(0) <= 5 && alarm(0) == 0);
    assert(rest == 100); //~ BUG(assertion)
    return 0;
}
