// K&R (pre-ANSI) function definitions, called without a prototype.
#include <assert.h>

int add(a, b)
    int a;
    int b;
{
    return a + b;
}

int first_char(s, n)
    char *s;
    unsigned short n; /* promoted to int at the call, narrowed here */
{
    return s[n];
}

int main()
{
    assert(add(2, 3) == 5);
    assert(first_char("abc", 1) == 'b');
    return 0;
}
