// 7 MB are not too many.
static int deep(int depth)
{
    volatile char block[100000];
    block[0] = 1;
    return depth > 0 ? deep(depth - 1) + block[0] : 0;
}

int main(void)
{
    return deep(70) != 70;
}
