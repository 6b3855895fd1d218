// The end of the input is the end, and a character that is put back comes again.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    assert(c >= -1 && c <= 255);
    if (c == EOF) {
        assert(feof(stdin) || ferror(stdin));
        assert(getchar() == EOF);
        return 0;
    }
    assert(!feof(stdin) && !ferror(stdin));
    ungetc(c, stdin);
    assert(getc(stdin) == c);
    char line[4];
    if (fgets(line, sizeof line, stdin))
        assert(line[0] == 0 || line[1] == 0 || line[2] == 0 || line[3] == 0);
    return 0;
}
