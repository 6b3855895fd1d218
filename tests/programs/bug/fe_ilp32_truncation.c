// sleave: -- -m32
// In ILP32 a long holds 32 bits, so this product wraps to zero (it does not under LP64).
extern void reach_error(void);

int main(void)
{
    unsigned long a = 65536, b = 65536;
    if (a * b == 0)
        reach_error(); //~ BUG(assertion)
    return 0;
}
