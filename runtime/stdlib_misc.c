/* The locale: C, and no other. */
#include "sleave_runtime.h"

/* An empty name asks for the locale of the environment, which is the C locale too. */
char *setlocale(int category, const char *locale)
{
    (void)category;
    if (locale == NULL || *locale == 0 || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)
        return (char *)"C";
    return NULL;
}
