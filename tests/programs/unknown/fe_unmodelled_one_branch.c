// One input reaches the function without a model; the others are fine. The verdict must not be `safe`.
extern int __VERIFIER_nondet_int(void);
extern void frobnicate_device(int port);

int main(void)
{
    if (__VERIFIER_nondet_int() == 77)
        frobnicate_device(1); //~ UNKNOWN(unmodelled function: frobnicate_device)
    return 0;
}
