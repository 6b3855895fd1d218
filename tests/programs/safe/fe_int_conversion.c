// Pointers and integers mixed without casts: a warning, never an error.
#include <assert.h>

int cell = 5;

int main(void)
{
    long address = &cell;
    int *back = address;
    assert(*back == 5);
    int *null = 0L;
    assert(null == 0);
    return 0;
}
