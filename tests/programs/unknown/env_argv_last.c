// The last of any number of arguments is there.
int main(int argc, char **argv)
{
    if (argc < 1)
        return 0;
    return argv[argc - 1] == 0; //~ UNKNOWN(input length: arguments of main)
}
