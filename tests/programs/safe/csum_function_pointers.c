// What C says of function pointers: the checksum is what two compilers compute.
#include <assert.h>

typedef int (*op)(int, int);
static int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static int sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
static int low(int a, int b) { return a < b ? a : b; }
static int fold(op f, const int *p, int n, int start) { while (n--) start = f(start, *p++); return start; }
static unsigned checksum(void)
{
    static const op ops[] = {add, sub, low, sub};
    int items[] = {3, 141, -59, 26, -53, 58};
    unsigned sum = 0;
    for (int i = 0; i < 12; i++) {
        int r = fold(ops[i % 4], items + i % 3, 6 - i % 3, i);
        items[i % 6] = r / 2;
        sum = sum * 101 ^ (unsigned)r;
    }
    return sum;
}

int main(void)
{
    assert(checksum() == 248731805u);
    return 0;
}
