// sleave: -- -m32
// There is no room for this among 32 bits, whether anyone looks at it or not. //~ UNKNOWN(object too large)
char a[1u << 30];

int main(void)
{
    return 0;
}
