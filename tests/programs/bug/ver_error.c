// __VERIFIER_error, declared only.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if ((x & 0xff) == 0x5a)
    ERROR: __VERIFIER_error(); //~ BUG(assertion)
    return 0;
}
