// The root of a negative number is an error of the domain.
#include <assert.h>
#include <errno.h>
#include <math.h>

int main(void) {
    volatile double negative = -1, zero = -0.0, four = 4;
    errno = 0;
    assert(sqrt(four) == 2 && sqrtf(four) == 2 && sqrt(zero) == 0 && errno == 0);
    assert(sqrt(negative) != sqrt(negative) && errno == EDOM);
    errno = 0;
    assert(isnan(sqrtf(negative)) && errno == EDOM);
}
