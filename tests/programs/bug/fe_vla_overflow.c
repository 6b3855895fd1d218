// An index one past the end of a variable-length array.
int main(void)
{
    int n = 3;
    int numbers[n];
    for (int i = 0; i <= n; i++)
        numbers[i] = i; //~ BUG(memory)
    return 0;
}
