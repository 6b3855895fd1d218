// A destructor function runs after main has returned.
#include <assert.h>

static int open_files = 0;

__attribute__((destructor)) static void at_end(void)
{
    assert(open_files == 0); //~ BUG(assertion)
}

int main(void)
{
    open_files = 1;
    return 0;
}
