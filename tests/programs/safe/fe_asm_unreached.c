// Unmodelled inline assembly does no harm where it is not reached.
int debug = 0;

int main(void)
{
    if (debug)
        __asm__ __volatile__("hlt");
    return 0;
}
