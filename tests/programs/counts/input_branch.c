// runs: 2
// One branch on an input, both sides feasible.
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), r;
    if (x > 3) r = 1;
    else r = 2;
    return r;
}
