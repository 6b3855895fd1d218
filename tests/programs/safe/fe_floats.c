// Concrete float and double arithmetic, conversions and comparisons with NaN.
#include <assert.h>
#include <math.h>

int main(void)
{
    float third = 1.0f / 3.0f;
    assert(third > 0.333f && third < 0.334f);
    double tenth = 0.1;
    assert(tenth + 0.2 != 0.3);
    assert((int)-2.9 == -2);
    assert((unsigned char)200.7 == 200);
    assert((float)16777217 == 16777216.0f);
    volatile double zero = 0.0;
    double nan = zero / zero;
    assert(nan != nan && !(nan < 1.0) && !(nan >= 1.0));
    assert(1.0 / zero > 1e308);
    assert(-zero == zero);
    double big = 1e15;
    assert((long long)big == 1000000000000000LL);
    return 0;
}
