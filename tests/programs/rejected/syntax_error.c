// exit: 2
// clang's own message, and nothing else.
int main(void)
{
    return 0
}
