/* Product of two square matrices of ints: indexed loads and multiply-add. */
#include <assert.h>

#define N 128

static int a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    int trace = 0;
    for (int i = 0; i < N; i++)
        trace += c[i][i];
    assert(trace == 0);
    return 0;
}
