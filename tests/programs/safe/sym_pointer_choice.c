// A symbolic pointer that denotes one of two objects.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 1, y = 2;
    int c = __VERIFIER_nondet_int();
    int *p = c > 0 ? &x : &y;
    *p += 10;
    assert(x + y == 13);
    if (c > 0) assert(x == 11 && y == 2);
    else assert(x == 1 && y == 12);
    return 0;
}
