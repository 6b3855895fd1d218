// sleave: --args=
// Old programs declare the parameters of main as they like.
#include <assert.h>
#include <stdio.h>

int main(int argc, char *argv)
{
    assert(argc == 1 && argv != NULL);
    printf("%d\n", argc);
    return 0;
}
