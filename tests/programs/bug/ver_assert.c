// __VERIFIER_assert, declared only.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assert(x != 123456789); //~ BUG(assertion)
    return 0;
}
