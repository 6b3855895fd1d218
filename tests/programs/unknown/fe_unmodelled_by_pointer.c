// A function without a model, called through a pointer.
extern int frobnicate_device(int port);
static int (*const driver)(int) = frobnicate_device;

int main(void)
{
    return driver(2) == 1; //~ UNKNOWN(unmodelled function: frobnicate_device)
}
