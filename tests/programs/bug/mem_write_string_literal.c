// A string literal is not writable.
int main(void)
{
    char *text = "constant";
    text[0] = 'C'; //~ BUG(memory)
    return 0;
}
