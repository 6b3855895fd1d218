// exit: 2
// There is no main: the message must say so.
int helper(int x)
{
    return x + 1;
}
