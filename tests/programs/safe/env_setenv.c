// What the program sets is what it gets.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    assert(setenv("MODE", "slow", 1) == 0);
    assert(strcmp(getenv("MODE"), "slow") == 0);
    assert(setenv("MODE", "fast", 0) == 0);
    assert(strcmp(getenv("MODE"), "slow") == 0);
    static char own[] = "MODE=own";
    assert(putenv(own) == 0 && getenv("MODE") == own + 5);
    assert(unsetenv("MODE") == 0 && getenv("MODE") == NULL);
    char *before = getenv("OTHER");
    setenv("OTHER", "x", 0);
    assert(before ? getenv("OTHER") == before : strcmp(getenv("OTHER"), "x") == 0);
    assert(clearenv() == 0 && getenv("OTHER") == NULL && getenv("THIRD") == NULL);
    return 0;
}
