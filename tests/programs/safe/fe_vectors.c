// GCC vector extension: element-wise arithmetic, comparison masks, element access, shuffles.
#include <assert.h>

typedef int int4 __attribute__((vector_size(16)));

int main(void)
{
    int4 a = {1, 2, 3, 4};
    int4 b = {10, 20, 30, 40};
    int4 c = a * b + 1;
    assert(c[0] == 11 && c[1] == 41 && c[2] == 91 && c[3] == 161);
    int4 mask = c > 50;
    assert(mask[0] == 0 && mask[3] == -1);
    c[1] = 7;
    int i = 1;
    assert(c[i] == 7);
    int4 reversed = __builtin_shufflevector(a, b, 3, 2, 5, 4);
    assert(reversed[0] == 4 && reversed[1] == 3 && reversed[2] == 20 && reversed[3] == 10);
    return 0;
}
