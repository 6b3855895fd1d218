// __CPROVER_assert on an input of nondet_unsigned.
extern void __CPROVER_assert(_Bool, const char *);
extern unsigned nondet_unsigned(void);

int main(void)
{
    unsigned u = nondet_unsigned();
    __CPROVER_assert(u + 1 > u, "no wrap-around"); //~ BUG(assertion)
    return 0;
}
