// Behind the last argument is a null pointer; where that is beyond what is made up, nobody looks at anything else instead.
int main(int argc, char **argv)
{
    return argv[argc] != 0; //~ UNKNOWN(input length: arguments of main)
}
