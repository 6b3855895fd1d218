/* Quicksort of pseudo-random ints: recursion, data-dependent branches, swaps in memory. */
#include <assert.h>

#define N 100000

static int data[N];

static void sort(int *v, int low, int high)
{
    if (low >= high)
        return;
    int pivot = v[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (v[i] < pivot)
            i++;
        while (v[j] > pivot)
            j--;
        if (i <= j) {
            int t = v[i];
            v[i] = v[j];
            v[j] = t;
            i++;
            j--;
        }
    }
    sort(v, low, j);
    sort(v, i, high);
}

int main(void)
{
    unsigned x = 12345;
    for (int i = 0; i < N; i++) {
        x = x * 1103515245u + 12345u;
        data[i] = (int)(x >> 8);
    }
    sort(data, 0, N - 1);
    for (int i = 1; i < N; i++)
        assert(data[i - 1] <= data[i]);
    return 0;
}
