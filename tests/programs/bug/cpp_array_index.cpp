// An index past the end of a new[] array, reached by one input.
extern "C" unsigned __VERIFIER_nondet_uint();

int main()
{
    unsigned i = __VERIFIER_nondet_uint();
    int *a = new int[5];
    if (i < 6)
        a[i] = 1; //~ BUG(memory)
    delete[] a;
}
