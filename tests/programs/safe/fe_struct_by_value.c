// Structures passed and returned by value: in registers, mixed with floats, and through memory.
#include <assert.h>

struct small { int a, b; };
struct odd { char c[3]; };
struct mixed { double d; int i; };
struct pair { float x, y; };
struct large { int v[10]; };

static struct small swap(struct small s) { struct small r = {s.b, s.a}; return r; }
static struct odd rotate(struct odd o) { struct odd r = {{o.c[1], o.c[2], o.c[0]}}; return r; }
static struct mixed grow(struct mixed m) { m.d += 0.5; m.i++; return m; }
static struct pair flip(struct pair p) { return (struct pair){p.y, p.x}; }
static struct large negate(struct large l)
{
    for (int i = 0; i < 10; i++) l.v[i] = -l.v[i];
    return l;
}

int main(void)
{
    struct small s = swap((struct small){1, 2});
    assert(s.a == 2 && s.b == 1);
    struct odd o = rotate((struct odd){"xyz"});
    assert(o.c[0] == 'y' && o.c[2] == 'x');
    struct mixed m = grow((struct mixed){1.5, 4});
    assert(m.d == 2.0 && m.i == 5);
    struct pair p = flip((struct pair){1.0f, 2.0f});
    assert(p.x == 2.0f && p.y == 1.0f);
    struct large l = {{1, 2, 3}};
    struct large n = negate(l);
    assert(n.v[2] == -3 && l.v[2] == 3);
    return 0;
}
