/* FNV-1a over a text again and again: byte loads, calls, 64-bit arithmetic. */
#include <assert.h>

static const char text[] = "the quick brown fox jumps over the lazy dog";

static unsigned long long hash(const char *s, unsigned long long h)
{
    for (; *s; s++) {
        h ^= (unsigned char)*s;
        h *= 1099511628211ull;
    }
    return h;
}

int main(void)
{
    unsigned long long h = 14695981039346656037ull;
    for (int i = 0; i < 100000; i++)
        h = hash(text, h);
    assert(h != 0);
    return 0;
}
