// strcmp on symbolic bytes: some input equals the password.
#include <assert.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);

int main(void)
{
    char word[4];
    for (int i = 0; i < 3; i++) word[i] = __VERIFIER_nondet_char();
    word[3] = 0;
    assert(strcmp(word, "abc") != 0); //~ BUG(assertion)
    return 0;
}
