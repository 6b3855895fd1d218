// A divisor that one input makes zero.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0);
    return 100 / (x - 17); //~ BUG(division by zero)
}
