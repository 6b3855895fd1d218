// 20 MB of few frames: more than a stack of 8 MiB holds.
static int deep(int depth)
{
    volatile char block[100000]; //~ UNKNOWN(recursion bound)
    block[0] = 1;
    return depth > 0 ? deep(depth - 1) + block[0] : 0;
}

int main(void)
{
    return deep(200) != 200;
}
