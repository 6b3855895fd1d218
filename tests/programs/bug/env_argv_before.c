// Before the arguments is nothing.
int main(int argc, char **argv)
{
    return argv[argc - 2] != 0; //~ BUG(memory)
}
