// Behind the null pointer that ends the arguments is nothing, however many there are.
int main(int argc, char **argv)
{
    return argv[argc + 1] != 0; //~ BUG(memory)
}
