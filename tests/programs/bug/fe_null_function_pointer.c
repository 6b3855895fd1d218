// A call through a null function pointer.
int (*hook)(int);

int main(void)
{
    return hook(1); //~ BUG(memory)
}
