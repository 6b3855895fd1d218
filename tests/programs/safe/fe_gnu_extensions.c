// Statement expressions, typeof, case-free ternary, __func__, generic selection, zero-length arrays.
#include <assert.h>

#define MAX(a, b) ({ __typeof__(a) x_ = (a); __typeof__(b) y_ = (b); x_ > y_ ? x_ : y_; })
#define KIND(x) _Generic((x), int: 1, double: 2, char *: 3, default: 4)

struct buffer { int used; int data[0]; };

int main(void)
{
    int a = 3;
    assert(MAX(a++, 2) == 3 && a == 4);
    assert((a ?: 9) == 4 && (0 ?: 9) == 9);
    assert(KIND(a) == 1 && KIND(1.0) == 2 && KIND("x"[0]) == 4);
    assert(__func__[0] == 'm');
    assert(sizeof(struct buffer) == sizeof(int));
    return 0;
}
