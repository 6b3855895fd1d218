// A switch whose cases lie inside a loop, and gotos into and out of blocks.
#include <assert.h>

static int copy(int *to, const int *from, int count)
{
    int rounds = (count + 3) / 4, done = 0;
    switch (count % 4) {
    case 0: do { to[done] = from[done]; done++;
    case 3:      to[done] = from[done]; done++;
    case 2:      to[done] = from[done]; done++;
    case 1:      to[done] = from[done]; done++;
            } while (--rounds > 0);
    }
    return done;
}

int main(void)
{
    int from[7] = {1, 2, 3, 4, 5, 6, 7}, to[7] = {0}, sum = 0;
    assert(copy(to, from, 7) == 7);
    for (int i = 0; i < 7; i++) {
        if (to[i] == 3) goto skip;
        sum += to[i];
    skip:;
    }
    assert(sum == 25);
    return 0;
}
