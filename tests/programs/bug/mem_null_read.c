// Read through a null pointer.
struct node { int value; struct node *next; };

int main(void)
{
    struct node last = {1, 0};
    return last.next->value; //~ BUG(memory)
}
