// What C says of strings: the checksum is what two compilers compute.
#include <assert.h>
#include <string.h>

static unsigned checksum(void)
{
    char text[32] = "a tangled skein of care", copy[32];
    unsigned sum = 5381;
    for (char *p = text; *p; p++)
        if (*p >= 'a' && *p <= 'z')
            *p = (char)('a' + (*p - 'a' + 13) % 26);
    strcpy(copy, text + 2);
    strcat(copy, "!");
    for (const char *p = copy; *p; p++)
        sum = sum * 33 + (unsigned char)*p;
    return sum + (unsigned)strlen(copy) + (unsigned)(strchr(copy, ' ') - copy) + (strcmp(text, copy) < 0);
}

int main(void)
{
    assert(checksum() == 48170170u);
    return 0;
}
