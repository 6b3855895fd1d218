// Locals that are accessed in parts, up to their last byte.
#include <assert.h>
#include <string.h>

struct pair {
    char name[3];
    short numbers[2];
};

int main(void)
{
    struct pair a = {"ab", {1, 2}}, b;
    b = a;
    memset(&b.name, 0, sizeof b.name);
    memcpy(&b.numbers, &a.numbers, sizeof a.numbers);
    int both;
    memcpy(&both, b.numbers, sizeof both);
    assert(b.name[2] == 0 && b.numbers[1] == 2 && both == (2 << 16 | 1));
    char *end = (char *)&a + sizeof a;
    assert(end[-1] == 0 && *(short *)(end - 2) == 2);
    return 0;
}
