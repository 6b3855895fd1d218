// Of an object of 64 GiB no contents are kept.
char a[1ull << 36];

int main(void)
{
    a[5] = 1; //~ UNKNOWN(object too large)
    return 0;
}
