/*
 * The functions of <math.h> that are one operation of the machine.
 *
 * Each must become an LLVM intrinsic, not a call to itself: hence the builtins, and the elementwise form where the plain one would call
 * libc to set errno (test/run.sh checks that the compiled file calls nothing).
 */
#include "sleave_runtime.h"

double fabs(double x) { return __builtin_fabs(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
double floor(double x) { return __builtin_elementwise_floor(x); }
float floorf(float x) { return __builtin_elementwise_floor(x); }
double ceil(double x) { return __builtin_elementwise_ceil(x); }
float ceilf(float x) { return __builtin_elementwise_ceil(x); }
double trunc(double x) { return __builtin_elementwise_trunc(x); }
float truncf(float x) { return __builtin_elementwise_trunc(x); }
double round(double x) { return __builtin_elementwise_round(x); }
float roundf(float x) { return __builtin_elementwise_round(x); }
double rint(double x) { return __builtin_elementwise_rint(x); }
float rintf(float x) { return __builtin_elementwise_rint(x); }
double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }

/* Of a negative number the root is a nan, and errno says so. */
double sqrt(double x)
{
    if (x < 0)
        errno = EDOM;
    return __builtin_elementwise_sqrt(x);
}

float sqrtf(float x)
{
    if (x < 0)
        errno = EDOM;
    return __builtin_elementwise_sqrt(x);
}

/* The one that is a number, if only one is. Comparisons instead of llvm.minnum, whose treatment of -0 is left open. */
double fmin(double x, double y) { return x < y || y != y ? x : y; }
float fminf(float x, float y) { return x < y || y != y ? x : y; }
double fmax(double x, double y) { return x > y || y != y ? x : y; }
float fmaxf(float x, float y) { return x > y || y != y ? x : y; }

/* What glibc's classification macros call. */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

int __isnan(double x) { return x != x; }
int __isnanf(float x) { return x != x; }
int __isinf(double x) { return (x == __builtin_inf()) - (x == -__builtin_inf()); }
int __isinff(float x) { return __isinf(x); }
int __finite(double x) { return x - x == 0; }
int __finitef(float x) { return x - x == 0; }
int __signbit(double x) { return (int)(bits_of(x) >> 63); }
int __signbitf(float x) { return __signbit(x); }

enum { CLASS_NAN, CLASS_INFINITE, CLASS_ZERO, CLASS_SUBNORMAL, CLASS_NORMAL };

static int classify(double x, double smallest_normal)
{
    if (x != x)
        return CLASS_NAN;
    if (x == 0)
        return CLASS_ZERO;
    if (x - x != 0)
        return CLASS_INFINITE;
    return __builtin_fabs(x) < smallest_normal ? CLASS_SUBNORMAL : CLASS_NORMAL;
}

int __fpclassify(double x) { return classify(x, 0x1p-1022); }
int __fpclassifyf(float x) { return classify(x, 0x1p-126); }

int isnan(double x) { return __isnan(x); }
int isinf(double x) { return __isinf(x); }
int finite(double x) { return __finite(x); }
