// sleave: --unwind 4
// A loop made of a backward goto.
static volatile int stop;

int main(void)
{
again: if (!stop) goto again; //~ UNKNOWN(loop bound)
    return 0;
}
