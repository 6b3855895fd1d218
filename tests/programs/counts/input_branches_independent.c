// runs: 8
// Three branches on three independent inputs: 2 * 2 * 2.
extern int __VERIFIER_nondet_int(void);

static int sign(int x)
{
    if (x < 0) return -1;
    return 1;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    return sign(a) + sign(b) + sign(c);
}
