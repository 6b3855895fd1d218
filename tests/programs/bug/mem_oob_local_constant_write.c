// The compiler could make nothing of it, since nobody reads what is written.
int main(void)
{
    int numbers[2];
    numbers[0] = 1;
    numbers[2] = 3; //~ BUG(memory)
    return numbers[0] - 1;
}
