// Reaching __builtin_unreachable is an error: the input 3 gets there.
extern int __VERIFIER_nondet_int(void);

static int sign(int v)
{
    switch (v & 3) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    }
    __builtin_unreachable(); //~ BUG(unreachable)
}

int main(void)
{
    return sign(__VERIFIER_nondet_int());
}
