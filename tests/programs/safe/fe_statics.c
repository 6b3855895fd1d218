// Function-local statics keep their value; global initialisers may hold addresses of other globals.
#include <assert.h>

static int next(void)
{
    static int last = 10;
    return ++last;
}

int array[4] = {1, 2, 3, 4};
int *middle = &array[2];
int **handle = &middle;
struct list { int value; struct list *next; };
struct list tail = {2, 0}, head = {1, &tail};
const char *const words[] = {"zero", "one"};

int main(void)
{
    assert(next() == 11 && next() == 12);
    assert(**handle == 3);
    assert(head.next->value == 2 && !tail.next);
    assert(words[1][2] == 'e');
    return 0;
}
