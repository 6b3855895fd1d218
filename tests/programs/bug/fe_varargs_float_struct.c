// The third float of a structure is found where it was put.
#include <assert.h>
#include <stdarg.h>

struct point { float x, y, z; };

static float z_of(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    struct point p = va_arg(ap, struct point);
    va_end(ap);
    return p.z;
}

int main(void)
{
    struct point p = {1, 2, 3};
    assert(z_of(0, p) != 3); //~ BUG(assertion)
    return 0;
}
