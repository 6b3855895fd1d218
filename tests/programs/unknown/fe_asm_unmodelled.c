// Inline assembly that is not one of the known idioms, and is reached.
int main(void)
{
    unsigned a = 0, b, c, d;
    __asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); //~ UNKNOWN(unmodelled assembly)
    return b == 0;
}
