// The other half of main.c: the flag is set too early.
int flag, data;

void *setter(void *arg)
{
    flag = 1;
    data = 1;
    return arg;
}
