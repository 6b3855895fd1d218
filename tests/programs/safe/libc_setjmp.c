// longjmp comes back to setjmp with a value; through nested calls, more than once.
#include <assert.h>
#include <setjmp.h>

static jmp_buf back;

static void fail(int depth, int code)
{
    if (depth == 0) longjmp(back, code);
    fail(depth - 1, code);
    assert(0);
}

int main(void)
{
    volatile int tries = 0;
    int code = setjmp(back);
    if (code < 3) {
        tries++;
        fail(2, code + 1);
    }
    assert(code == 3 && tries == 3);
    if (setjmp(back) == 0)
        longjmp(back, 0); /* arrives as 1 */
    return 0;
}
