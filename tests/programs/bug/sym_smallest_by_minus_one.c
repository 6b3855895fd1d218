// The smallest int divided by -1 traps, as a division by zero does.
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    if (b == 0)
        return 0;
    return a / b != 0; //~ BUG(division by zero)
}
