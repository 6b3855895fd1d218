// Labels as values: a threaded-code interpreter.
#include <assert.h>

enum { PUSH, ADD, DOUBLE, STOP };

static int run(const unsigned char *code)
{
    static void *const table[] = {&&push, &&add, &&dbl, &&stop};
    int stack[4], top = 0;
    goto *table[*code++];
push:
    stack[top++] = *code++;
    goto *table[*code++];
add:
    top--;
    stack[top - 1] += stack[top];
    goto *table[*code++];
dbl:
    stack[top - 1] *= 2;
    goto *table[*code++];
stop:
    return stack[0];
}

int main(void)
{
    const unsigned char program[] = {PUSH, 3, PUSH, 4, ADD, DOUBLE, STOP};
    assert(run(program) == 14);
    return 0;
}
