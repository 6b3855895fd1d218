// time stores what it returns; gettimeofday gives microseconds below a million.
#include <assert.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
    time_t stored, now = time(&stored);
    assert(stored == now);
    struct timeval tv;
    assert(gettimeofday(&tv, NULL) == 0);
    assert(tv.tv_usec >= 0 && tv.tv_usec < 1000000);
    clock_t c = clock();
    return c == 0;
}
