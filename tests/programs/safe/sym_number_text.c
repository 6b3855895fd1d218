// strtol on text of which two characters are inputs.
#include <assert.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    static const char letters[] = "0x1-79 a";
    unsigned char i = __VERIFIER_nondet_uchar(), j = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(i < 8 && j < 8);
    char text[4] = {letters[i], letters[j], '1', 0}, *end;
    long number = strtol(text, &end, 0);
    assert(end >= text && end <= text + 3);
    if (text[0] == '1' && text[1] == '9')
        assert(number == 191);
    if (text[0] == '0' && text[1] == 'x')
        assert(number == 1 && end == text + 3);
    if (text[0] == '0' && text[1] == '7')
        assert(number == 071);
    if (text[0] == '0' && text[1] == '9')
        assert(number == 0 && end == text + 1);
    if (text[0] == ' ' && text[1] == '-')
        assert(number == -1);
    if (text[0] == 'a' || text[0] == 'x')
        assert(number == 0 && end == text);
    if (text[0] == '-' && text[1] == '-')
        assert(number == 0 && end == text);
    return 0;
}
