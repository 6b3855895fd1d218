// Descriptors: the lowest that is free, for streams, too; a file at 0 is no standard input.
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int a = open("a", O_RDONLY);
    if (a < 0)
        return 0;
    assert(a == 3);
    FILE *stream = fopen("b", "r");
    if (!stream)
        return 0;
    int c = open("c", O_RDONLY);
    if (c < 0)
        return 0;
    assert(c == 5);
    assert(close(a) == 0 && close(a) == -1);
    int d = open("d", O_RDONLY);
    assert(d < 0 || d == 3);
    fclose(stream);
    int e = open("e", O_RDONLY);
    assert(e < 0 || e == (d < 0 ? 3 : 4));
    fclose(stdin);
    char byte;
    assert(read(0, &byte, 1) == -1);
    int f = open("f", O_RDONLY);
    assert(f <= 0);
    return 0;
}
