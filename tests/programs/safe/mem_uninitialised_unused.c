// Uninitialised memory may be copied, and masked bits of it do not matter.
#include <assert.h>
#include <string.h>

struct padded { char c; int i; };

int main(void)
{
    struct padded a, b;
    a.c = 1;
    memcpy(&b, &a, sizeof a); /* i and the padding are uninitialised */
    assert(b.c == 1);
    b.i = 5;
    a = b;
    assert(a.i == 5);
    unsigned junk[1];
    assert((junk[0] & 0) == 0);
    assert((junk[0] % 4) < 4);
    return 0;
}
