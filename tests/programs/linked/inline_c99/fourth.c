#include "square.h"

extern inline int square(int x);

int fourth(int x)
{
    return square(square(x));
}
