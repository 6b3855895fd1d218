// An integer made into a pointer that points nowhere.
int main(void)
{
    int *p = (int *)0x1234;
    return *p; //~ BUG(memory)
}
