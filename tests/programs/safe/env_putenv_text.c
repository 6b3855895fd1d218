// sleave: --env A=B=c
// The environment has the text itself; what is found before it is not looked for there.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void put_local(void)
{
    char text[] = "LOCAL=1";
    putenv(text);
    assert(getenv("A") != NULL);
    putenv("LOCAL");
}

int main(void)
{
    char *text = strdup("NAME=value");
    putenv(text);
    assert(getenv("NAME") == text + 5);
    text[5] = 'V';
    assert(strcmp(getenv("NAME"), "Value") == 0);
    unsetenv("NAME");
    free(text);
    assert(getenv("NAME") == NULL);
    put_local();
    assert(strcmp(getenv("A=B"), "c") == 0 && getenv("A=") == NULL);
    return 0;
}
