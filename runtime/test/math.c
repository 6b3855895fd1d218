/* <math.h>: bit for bit against glibc's, on special, random and half-way values. */
#define _GNU_SOURCE
#include "check.h"
#include <math.h>

OURS(fabs); OURS(fabsf); OURS(floor); OURS(floorf); OURS(ceil); OURS(ceilf); OURS(trunc); OURS(truncf); OURS(round); OURS(roundf);
OURS(rint); OURS(rintf); OURS(sqrt); OURS(sqrtf); OURS(copysign); OURS(copysignf); OURS(fmin); OURS(fminf); OURS(fmax); OURS(fmaxf);
OURS(__isnan); OURS(__isinf); OURS(__finite); OURS(__signbit); OURS(__fpclassify);
OURS(__isnanf); OURS(__isinff); OURS(__finitef); OURS(__signbitf); OURS(__fpclassifyf);

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

/* Equal, where C leaves it open which zero is the smaller. */
static int equal(double a, double b)
{
    return a == b || (a != a && b != b);
}

/* With -m32, glibc takes the root on the x87 and rounds twice: the last bit may differ from the correctly rounded one, which is ours. */
static int same_root(double ours, double theirs)
{
    return same(ours, theirs) || (sizeof(long) == 4 && nextafter(ours, theirs) == theirs);
}

static void test(double x, double y)
{
    float f = (float)x, g = (float)y;
#define ONE(name)                                                                                                                  \
    CHECK(same(sl_##name(x), name(x)), #name " of %a", x);                                                                         \
    CHECK(same(sl_##name##f(f), name##f(f)), #name "f of %a", f);
    ONE(fabs) ONE(floor) ONE(ceil) ONE(trunc) ONE(round) ONE(rint)
    CHECK(same_root(sl_sqrt(x), sqrt(x)), "sqrt of %a", x);
    CHECK(same(sl_sqrtf(f), sqrtf(f)), "sqrtf of %a", f);
#define TWO(name, relation)                                                                                                        \
    CHECK(relation(sl_##name(x, y), name(x, y)), #name " of %a, %a", x, y);                                                        \
    CHECK(relation(sl_##name##f(f, g), name##f(f, g)), #name "f of %a, %a", f, g);
    TWO(copysign, same) TWO(fmin, equal) TWO(fmax, equal)
#define CLASS(name)                                                                                                                \
    CHECK(sl_##name(x) == name(x), #name " of %a", x);                                                                             \
    CHECK(sl_##name##f(f) == name##f(f), #name "f of %a", f);
    CLASS(__isnan) CLASS(__isinf) CLASS(__fpclassify)
    CHECK(!sl___finite(x) == !__finite(x) && !sl___finitef(f) == !__finitef(f), "__finite of %a", x);
    CHECK(!sl___signbit(x) == !__signbit(x) && !sl___signbitf(f) == !__signbitf(f), "__signbit of %a", x);
}

int main(void)
{
    double special[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1e300, -1e300, 4503599627370497.5, 1e-310, -1e-40, 0x1p-126,
        0x1p-1022, INFINITY, -INFINITY, NAN, 3};
    int count = sizeof special / sizeof *special;
    for (int i = 0; i < count * count; i++)
        test(special[i / count], special[i % count]);
    for (int i = 0; i < 50000; i++) {
        uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value != value)
            value = NAN; /* not a signalling one, which glibc treats apart */
        test(i % 2 ? value : ((double)random_bits() - 2147483648.0) / 2048, special[below((unsigned)count)]);
    }
    return finish();
}
