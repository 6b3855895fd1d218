// A const object is not writable, even through a cast.
static const int limit = 10;

int main(void)
{
    int *p = (int *)&limit;
    *p = 11; //~ BUG(memory)
    return 0;
}
