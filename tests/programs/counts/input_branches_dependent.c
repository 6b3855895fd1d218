// runs: 3
// Above 10 the second branch has only one feasible side; otherwise it has two.
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), r = 0;
    if (x > 10) r = 1;
    if (x > 5) r += 2;
    return r;
}
