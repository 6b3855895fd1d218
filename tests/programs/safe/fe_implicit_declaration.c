// Functions called before they are declared: a warning, never an error.
extern void abort(void);

int main()
{
    int seven = later(3, 4);
    if (seven != 7)
        abort();
    return 0;
}

int later(int a, int b)
{
    return a + b;
}
