// Behind the null pointer at the end of the arguments is nothing.
int main(int argc, char **argv)
{
    return argc == 2 && argv[3] != 0; //~ BUG(memory)
}
