/* Sieve of Eratosthenes: byte stores in a strided loop. */
#include <assert.h>

#define LIMIT 1000000

static unsigned char composite[LIMIT];

int main(void)
{
    int primes = 0;
    for (int i = 2; i < LIMIT; i++) {
        if (composite[i])
            continue;
        primes++;
        for (long j = (long)i * i; j < LIMIT; j += i)
            composite[j] = 1;
    }
    assert(primes == 78498);
    return 0;
}
