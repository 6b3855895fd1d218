// The bounds check is off by one: an input of 8 gets through.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    int table[8] = {0};
    unsigned i = __VERIFIER_nondet_uint();
    if (i <= 8)
        table[i] = 1; //~ BUG(memory)
    return 0;
}
