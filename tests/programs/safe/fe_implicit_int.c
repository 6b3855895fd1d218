// sleave: -- -std=gnu89
// Implicit int for functions, parameters and globals, as old C has it.
#include <assert.h>

counter;

twice(x)
{
    return x + x;
}

main()
{
    auto local = twice(21);
    counter = local;
    assert(counter == 42);
    return 0;
}
