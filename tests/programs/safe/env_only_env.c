// sleave: --env A=1 --env B --env LONG=a-longer-value --only-env
// The whole environment is known.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    assert(strcmp(getenv("A"), "1") == 0);
    assert(getenv("B") == NULL && getenv("C") == NULL);
    assert(strlen(getenv("LONG")) == 14);
    int n = 0;
    for (char **e = environ; *e; e++)
        n++;
    assert(n == 2 && strcmp(environ[0], "A=1") == 0);
    assert(envp == environ);
    return 0;
}
