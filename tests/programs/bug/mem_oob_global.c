// Write before the beginning of a global array.
int before = 1;
int numbers[4];

int main(void)
{
    int *p = numbers;
    p--;
    *p = 7; //~ BUG(memory)
    return before;
}
