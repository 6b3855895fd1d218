// A table of pointers read at a symbolic index: one entry is null.
extern unsigned __VERIFIER_nondet_uint(void);

static int a = 1, b = 2;
static int *table[3] = {&a, &b, 0};

int main(void)
{
    unsigned i = __VERIFIER_nondet_uint() % 3;
    return *table[i]; //~ BUG(memory)
}
