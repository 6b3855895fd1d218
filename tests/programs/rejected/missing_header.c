// exit: 2
// A header that does not exist.
#include "surely_no_such_header.h"

int main(void)
{
    return 0;
}
