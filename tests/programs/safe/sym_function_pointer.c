// A function chosen by a symbolic index.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

static int up(int x) { return x + 1; }
static int down(int x) { return x - 1; }
static int same(int x) { return x; }
static int (*const table[3])(int) = {up, down, same};

int main(void)
{
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 3) {
        int r = table[i](10);
        assert(r == (i == 0 ? 11 : i == 1 ? 9 : 10));
    }
    return 0;
}
