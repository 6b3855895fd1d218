#include <math.h>
double f(double x, float y, long double z, int i) { return sqrt(x) + fabsf(y) * i + (double)z - fma(x, x, y) + (x < y) + (unsigned)x + floor(x); }
