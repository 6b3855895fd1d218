// The index is so far outside that another array lies there.
int small[16], large[64];

int main(void) {
    small[60] = 1; //~ BUG(memory)
    return large[44];
}
