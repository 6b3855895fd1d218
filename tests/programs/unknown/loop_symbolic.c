// sleave: --unwind 5
// A loop whose length is an unbounded input.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n) i++; //~ UNKNOWN(loop bound)
    return 0;
}
