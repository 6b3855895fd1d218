// The variable is gone when its function has returned, also when the function that called it has: the next one must not find
// its own variable in the same place.
static int *dangling;

static void leak(void)
{
    int local = 1;
    dangling = &local;
}

static void call_leak(void)
{
    leak();
}

static int sum(int n)
{
    int own[4];
    for (int i = 0; i < 4; i++)
        own[i] = n;
    *dangling = 7; //~ BUG(memory)
    return own[n & 3];
}

int main(void)
{
    call_leak();
    return sum(2) == 7;
}
