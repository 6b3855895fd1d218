// A symbolic array: some content has the given sum and pattern.
#include <assert.h>
#include <stddef.h>
extern void klee_make_symbolic(void *, size_t, const char *);
extern int klee_range(int begin, int end, const char *);

int main(void)
{
    unsigned char text[3];
    klee_make_symbolic(text, sizeof text, "text");
    int r = klee_range(0, 3, "r");
    assert(!(text[0] == 'k' && text[1] == text[2] && text[2] > 200 && r == 2)); //~ BUG(assertion)
    return 0;
}
