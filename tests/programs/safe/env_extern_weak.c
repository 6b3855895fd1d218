// What is declared weakly and nobody defines is null. An address alone needs no definition.
#include <assert.h>
#include <stddef.h>

extern int optional __attribute__((weak));
extern int somewhere[];

int main(void)
{
    assert(&optional == NULL);
    assert(somewhere != NULL && somewhere + 1 > somewhere);
    return 0;
}
