// Compound literals, designated initialisers, flexible array members, nested aggregates.
#include <assert.h>
#include <stdlib.h>

struct point { int x, y; };
struct shape { struct point corner[2]; const char *name; };
struct packet { int length; char data[]; };

static int area(const struct shape *s)
{
    return (s->corner[1].x - s->corner[0].x) * (s->corner[1].y - s->corner[0].y);
}

int main(void)
{
    assert(area(&(struct shape){.corner = {[1] = {4, 5}}, .name = "box"}) == 20);
    int *squares = (int[]){0, 1, 4, 9};
    assert(squares[3] == 9);
    int sparse[10] = {[3] = 7, [8] = 1, 2};
    assert(sparse[3] == 7 && sparse[9] == 2 && sparse[4] == 0);
    struct packet *p = malloc(sizeof *p + 4);
    p->length = 4;
    for (int i = 0; i < p->length; i++) p->data[i] = (char)i;
    assert(p->data[3] == 3);
    free(p);
    return 0;
}
