/*
 * The numbers and layouts that the runtime repeats because it includes no system header, against those of the headers. The constants in
 * .c files (sysconf's names, signal sets, struct sizes) are compared where the functions are tested.
 */
#include "../sleave_runtime.h"
enum { OUR_ENOENT = ENOENT, OUR_ENOTTY = ENOTTY, OUR_EINVAL = EINVAL, OUR_ERANGE = ERANGE };
#undef errno
#undef ENOENT
#undef ENOTTY
#undef EINVAL
#undef ERANGE
#include "check.h"
#include <errno.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
    CHECK((int)OUR_ENOENT == ENOENT, "ENOENT");
    CHECK((int)OUR_ENOTTY == ENOTTY, "ENOTTY");
    CHECK((int)OUR_EINVAL == EINVAL, "EINVAL");
    CHECK((int)OUR_ERANGE == ERANGE, "ERANGE");
    CHECK(RAND_MAX == INT_MAX, "RAND_MAX");
    CHECK(sizeof(time_t) == sizeof(long) && sizeof(clock_t) == sizeof(long), "time_t");
    CHECK(sizeof(struct timeval) == 2 * sizeof(long) && sizeof(struct timespec) == 2 * sizeof(long), "timeval");
    CHECK(sizeof(FILE) <= 54 * sizeof(int), "FILE has %zu bytes", sizeof(FILE));
    return finish();
}
