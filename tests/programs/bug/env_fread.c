// A block is anything, and there may be less of it.
#include <assert.h>
#include <stdio.h>

struct header {
    unsigned magic, version;
    char rest[56];
};

int main(void)
{
    struct header h = {1, 2, {0}};
    FILE *f = fopen("image", "rb");
    if (!f)
        return 0;
    if (fread(&h, sizeof h, 1, f) == 1)
        assert(h.magic != 0xcafe || h.version != 7); //~ BUG(assertion)
    return 0;
}
