// The environment as a whole is not modelled: nobody knows how many variables there are.
extern char **environ;

int main(void)
{
    int n = 0;
    for (char **e = environ; *e; e++) //~ UNKNOWN(input length: environ)
        n++;
    return n < 0;
}
