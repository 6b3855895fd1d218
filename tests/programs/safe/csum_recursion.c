// What C says of recursion: the checksum is what two compilers compute.
#include <assert.h>

static unsigned visits;
static int ack(int m, int n) { visits++; return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static void sort(short *a, int n)
{
    if (n < 2)
        return;
    int last = 0;
    for (int i = 1; i < n; i++)
        if (a[i] < a[0]) {
            short t = a[++last];
            a[last] = a[i];
            a[i] = t;
        }
    short t = a[0];
    a[0] = a[last];
    a[last] = t;
    sort(a, last);
    sort(a + last + 1, n - last - 1);
}
static unsigned checksum(void)
{
    short a[] = {5, -3, 99, 0, 7, -32768, 32767, 7};
    sort(a, 8);
    unsigned sum = (unsigned)ack(2, 2) + visits;
    for (int i = 0; i < 8; i++)
        sum = sum * 19 + (unsigned)(a[i] * (i + 1));
    return sum;
}

int main(void)
{
    assert(checksum() == 2924202562u);
    return 0;
}
