// An external function without a model is named when it is reached.
extern int frobnicate_device(int port);

int main(void)
{
    return frobnicate_device(3) > 0; //~ UNKNOWN(unmodelled function: frobnicate_device)
}
