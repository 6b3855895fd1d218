// read may give less than it was asked for, or nothing.
#include <assert.h>
#include <unistd.h>

int main(void)
{
    int number = 0;
    long n = read(0, &number, sizeof number);
    assert(n == sizeof number); //~ BUG(assertion)
    return 0;
}
