// A pointer to a local is used after the function returned.
static int *dangling(void)
{
    int local = 3;
    int *p = &local;
    return p;
}

int main(void)
{
    int *p = dangling();
    return *p; //~ BUG(memory)
}
