/*
 * The environment: a variable that --env does not name is set to any text, or to none, and stays so. What was found out about one is
 * kept in a list, so that all who ask get the same answer; what the program sets is in the list as well.
 *
 * Reading and writing `environ` itself is for programs whose environment is known as a whole (--only-env): otherwise every access to what
 * it points to ends in `unknown`.
 *
 * The list is changed in atomic sections, as glibc changes it under a lock. But getenv takes no lock in glibc, so setenv beside it is a
 * race: both access `changes`, outside of these sections.
 */
#include "sleave_runtime.h"

#define ENOMEM 12

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

/* The value of a variable that may be any, or null. */
char *__sleave_text(const char *name);
/* The variables that are given: one text after the other, an empty one at the end. Those that are not set have no `=`. */
char *__sleave_environment(void);
int __sleave_environment_is_whole(void);

extern char **environ;

struct variable {
    struct variable *next;
    char *name;
    char *value; /* null: it is not set */
};

static struct variable *variables;
static char *given;
static char **first_environ;
static int cleared;
/* How often the program has changed the environment. */
int __sleave_environment_changes;

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (text[length] != 0 && text[length] != '=')
        length++;
    return length;
}

static int is_named(const char *text, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != name[i])
            return 0;
    return text[length] == 0 || text[length] == '=';
}

static struct variable *find(const char *name, size_t length)
{
    for (struct variable *variable = variables; variable != NULL; variable = variable->next)
        if (is_named(variable->name, name, length))
            return variable;
    return NULL;
}

static struct variable *add(const char *name, size_t length, char *value)
{
    struct variable *variable = malloc(sizeof *variable);
    char *copy = malloc(length + 1);
    if (variable == NULL || copy == NULL)
        __sleave_unsupported("an environment for which there is no memory");
    memcpy(copy, name, length);
    copy[length] = 0;
    *variable = (struct variable){variables, copy, value};
    variables = variable;
    return variable;
}

/* What the command line says; otherwise null. */
static char *find_given(const char *name, size_t length)
{
    if (given == NULL)
        given = __sleave_environment();
    for (char *text = given; *text != 0; text += strlen(text) + 1)
        if (is_named(text, name, length))
            return text;
    return NULL;
}

static char *first_value(const char *name, size_t length)
{
    if (cleared)
        return NULL;
    char *text = find_given(name, length);
    if (text != NULL)
        return text[length] == '=' ? text + length + 1 : NULL;
    return __sleave_environment_is_whole() ? NULL : __sleave_text(name);
}

static struct variable *look_up(const char *name, size_t length)
{
    if (first_environ == NULL)
        first_environ = environ;
    if (environ != first_environ)
        __sleave_unsupported("getenv and setenv after environ was assigned to");
    struct variable *variable = find(name, length);
    return variable != NULL ? variable : add(name, length, first_value(name, length));
}

char *getenv(const char *name)
{
    size_t length = name_length(name);
    if (length == 0 || name[length] == '=')
        return NULL;
    (void)*(volatile int *)&__sleave_environment_changes;
    __VERIFIER_atomic_begin();
    char *value = look_up(name, length)->value;
    __VERIFIER_atomic_end();
    return value;
}

/* The program runs with nobody else's rights. */
char *secure_getenv(const char *name)
{
    return getenv(name);
}

static void note_change(void)
{
    __sleave_environment_changes++;
    if (__sleave_environment_is_whole())
        __sleave_unsupported("changing an environment that is given as a whole");
}

int setenv(const char *name, const char *value, int overwrite)
{
    size_t length = name == NULL ? 0 : name_length(name);
    if (length == 0 || name[length] == '=') {
        errno = EINVAL;
        return -1;
    }
    size_t size = strlen(value) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(copy, value, size);
    note_change();
    __VERIFIER_atomic_begin();
    struct variable *variable = look_up(name, length);
    if (overwrite || variable->value == NULL)
        variable->value = copy;
    __VERIFIER_atomic_end();
    return 0;
}

int unsetenv(const char *name)
{
    size_t length = name == NULL ? 0 : name_length(name);
    if (length == 0 || name[length] == '=') {
        errno = EINVAL;
        return -1;
    }
    note_change();
    __VERIFIER_atomic_begin();
    look_up(name, length)->value = NULL;
    __VERIFIER_atomic_end();
    return 0;
}

/* The text itself becomes part of the environment. One without a `=` takes its variable away. */
int putenv(char *text)
{
    size_t length = name_length(text);
    note_change();
    __VERIFIER_atomic_begin();
    look_up(text, length)->value = text[length] == '=' ? text + length + 1 : NULL;
    __VERIFIER_atomic_end();
    return 0;
}

int clearenv(void)
{
    note_change();
    __VERIFIER_atomic_begin();
    for (struct variable *variable = variables; variable != NULL; variable = variable->next)
        variable->value = NULL;
    cleared = 1;
    __VERIFIER_atomic_end();
    return 0;
}
