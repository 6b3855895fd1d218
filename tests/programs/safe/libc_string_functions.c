// The usual string functions on concrete strings.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char buffer[16] = "one";
    assert(strlen(buffer) == 3 && strnlen(buffer, 2) == 2);
    strcat(buffer, "two");
    assert(strcmp(buffer, "onetwo") == 0);
    strncat(buffer, "three", 2);
    assert(strcmp(buffer, "onetwoth") == 0);
    strcpy(buffer, "hello");
    assert(strncmp(buffer, "help", 3) == 0 && strcmp(buffer, "help") < 0);
    assert(strchr(buffer, 'l') == buffer + 2 && strrchr(buffer, 'l') == buffer + 3);
    assert(strstr(buffer, "lo") == buffer + 3 && strstr(buffer, "xx") == NULL);
    strncpy(buffer, "ab", 5);
    assert(buffer[2] == 0 && buffer[4] == 0 && buffer[5] == 0);
    char *copy = strdup("copy");
    assert(strcmp(copy, "copy") == 0);
    free(copy);
    assert(strspn("aabc", "a") == 2 && strcspn("aabc", "c") == 3);
    char list[] = "a,b";
    assert(strcmp(strtok(list, ","), "a") == 0);
    assert(strcmp(strtok(NULL, ","), "b") == 0);
    assert(strtok(NULL, ",") == NULL);
    return 0;
}
