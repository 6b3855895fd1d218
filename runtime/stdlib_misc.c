/* Environment and locale: the variables that the machine is given, and the C locale only. */
#include "sleave_runtime.h"

char *getenv(const char *name)
{
    return __sleave_getenv(name);
}

char *secure_getenv(const char *name)
{
    return __sleave_getenv(name);
}

/* An empty name asks for the locale of the environment, which is the C locale too. */
char *setlocale(int category, const char *locale)
{
    (void)category;
    if (locale == NULL || *locale == 0 || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)
        return (char *)"C";
    return NULL;
}
