// reach_error, declared only.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n * 2 == 6 && n > 3)
        reach_error(); //~ BUG(assertion)
    return 0;
}
