// A file may be made.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    FILE *f = fopen("data.txt", "w");
    assert(f == NULL); //~ BUG(assertion)
    return 0;
}
