// sscanf of constant strings.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    int a, b;
    unsigned hex;
    char word[8], letter;
    assert(sscanf("12 -7", "%d %d", &a, &b) == 2);
    assert(a == 12 && b == -7);
    assert(sscanf("ff:abc", "%x:%7s", &hex, word) == 2);
    assert(hex == 255 && strcmp(word, "abc") == 0);
    assert(sscanf("x=5", "%c=%d", &letter, &a) == 2 && letter == 'x' && a == 5);
    assert(sscanf("nope", "%d", &a) == 0);
    return 0;
}
