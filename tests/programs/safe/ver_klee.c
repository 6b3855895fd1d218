// The inputs of KLEE programs: klee_make_symbolic, klee_assume, klee_int, klee_range.
#include <assert.h>
#include <stddef.h>
extern void klee_make_symbolic(void *, size_t, const char *);
extern void klee_assume(unsigned long);
extern int klee_int(const char *);
extern int klee_range(int begin, int end, const char *);

struct point { short x; unsigned char y; };

int main(void)
{
    struct point p;
    klee_make_symbolic(&p, sizeof p, "p");
    klee_assume(p.x > 3);
    assert(p.x >= 4 && p.y <= 255);
    int n = klee_int("n");
    klee_assume(n == p.y);
    assert(n >= 0 && n < 256);
    int r = klee_range(2, 5, "r"); /* 2, 3 or 4 */
    assert(r >= 2 && r < 5);
    return 0;
}
