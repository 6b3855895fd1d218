#include <assert.h>
#include <unistd.h>

int main(void)
{
    assert(sysconf(_SC_LEVEL1_DCACHE_LINESIZE) >= 0); //~ UNKNOWN(unmodelled function: sysconf of this name)
    return 0;
}
