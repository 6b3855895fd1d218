// sleave: -- -m32
// As env_argv_last.c, where addresses have 32 bits.
int main(int argc, char **argv)
{
    return argv[argc - 1] == 0; //~ UNKNOWN(input length: arguments of main)
}
