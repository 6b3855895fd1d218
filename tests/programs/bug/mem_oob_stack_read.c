// Read past the end of a stack array.
int main(void)
{
    int a[3] = {1, 2, 3}, sum = 0;
    for (int i = 0; i <= 3; i++)
        sum += a[i]; //~ BUG(memory)
    return sum > 100;
}
