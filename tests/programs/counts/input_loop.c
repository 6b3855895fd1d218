// runs: 5
// A loop of at most four rounds whose length is an input: 0, 1, 2, 3 or 4 rounds.
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    __VERIFIER_assume(n <= 4);
    while (i < n) i++;
    return 0;
}
