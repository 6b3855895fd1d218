// sleave: --unwind 5
// A loop longer than the bound, with nothing wrong in it.
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) sum += i; //~ UNKNOWN(loop bound)
    return sum != 45;
}
