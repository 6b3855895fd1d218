// However many arguments there are, they are arguments.
int main(int argc, char **argv)
{
    if (argc != 2000000)
        return 0;
    return argv[1999999] == 0; //~ UNKNOWN(input length: arguments of main)
}
