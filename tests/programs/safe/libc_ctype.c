// Character classes and conversions.
#include <assert.h>
#include <ctype.h>

int main(void)
{
    assert(isdigit('5') && !isdigit('a'));
    assert(isalpha('Q') && isalnum('7') && !isalnum('-'));
    assert(isspace('\t') && !isspace('x'));
    assert(isupper('A') && !isupper('a') && islower('z'));
    assert(isxdigit('f') && !isxdigit('g'));
    assert(ispunct('!') && isprint(' ') && !isprint(7));
    assert(toupper('b') == 'B' && tolower('B') == 'b' && toupper('1') == '1');
    return 0;
}
