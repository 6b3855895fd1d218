/*
 * The environment: a variable that --env does not name is set to any text, or to none, and stays so. What was found out about one is
 * kept in a list, so that all who ask get the same answer; what the program sets is in the list as well, or in one of the texts that it put
 * there itself.
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

/* What is known of a variable. It is not set by this if it is set by a text of the program. */
struct variable {
    struct variable *next;
    char *name;
    char *value; /* null: it is not set */
};

/* A text that the program itself has put into the environment. Name and value are what it says when one looks, if it is still there. */
struct own {
    struct own *next;
    char *text;
};

static struct variable *variables;
static struct own *owned;
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

static struct variable *add(const char *name, size_t length)
{
    struct variable *variable = __sleave_malloc(sizeof *variable);
    char *copy = __sleave_malloc(length + 1);
    memcpy(copy, name, length);
    copy[length] = 0;
    *variable = (struct variable){variables, copy, NULL};
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

static struct variable *find_unless_assigned(const char *name, size_t length)
{
    if (first_environ == NULL)
        first_environ = environ;
    if (environ != first_environ)
        __sleave_unsupported("getenv and setenv after environ was assigned to");
    return find(name, length);
}

static struct variable *look_up(const char *name, size_t length)
{
    struct variable *variable = find_unless_assigned(name, length);
    if (variable != NULL)
        return variable;
    variable = add(name, length);
    variable->value = first_value(variable->name, length);
    return variable;
}

/* Whatever it was. */
static void take_away(const char *name, size_t length)
{
    struct variable *variable = find_unless_assigned(name, length);
    if (variable == NULL)
        variable = add(name, length);
    variable->value = NULL;
}

/* Behind the `=` that follows the name, if the text begins so. The name may have one in it. */
static char *value_in(char *text, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != name[i])
            return NULL;
    return text[length] == '=' ? text + length + 1 : NULL;
}

/* The place of the text of the program that sets a variable; its last one is null. glibc looks through what was there before first. */
static struct own **find_own(const char *name, size_t length)
{
    struct own **place = &owned;
    while (*place != NULL && value_in((*place)->text, name, length) == NULL)
        place = &(*place)->next;
    return place;
}

static void remove_own(const char *name, size_t length)
{
    struct own **place = find_own(name, length);
    if (*place != NULL)
        *place = (*place)->next;
}

/* With a `=` in it, a name is that of a variable and what its value begins with. */
char *getenv(const char *name)
{
    size_t length = name_length(name);
    size_t whole = length + strlen(name + length);
    if (length == 0)
        return NULL;
    (void)*(volatile int *)&__sleave_environment_changes;
    __VERIFIER_atomic_begin();
    char *value = look_up(name, length)->value;
    if (value != NULL && whole > length)
        value = value_in(value, name + length + 1, whole - length - 1);
    if (value == NULL) {
        struct own *own = *find_own(name, whole);
        value = own == NULL ? NULL : own->text + whole + 1;
    }
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
    int is_set = variable->value != NULL || *find_own(name, length) != NULL;
    if (overwrite || !is_set) {
        remove_own(name, length);
        variable->value = copy;
    }
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
    take_away(name, length);
    remove_own(name, length);
    __VERIFIER_atomic_end();
    return 0;
}

/* The text itself becomes part of the environment. One without a `=` takes its variable away. */
int putenv(char *text)
{
    size_t length = name_length(text);
    struct own *own = __sleave_malloc(sizeof *own);
    note_change();
    __VERIFIER_atomic_begin();
    take_away(text, length);
    remove_own(text, length);
    if (text[length] == '=') {
        *own = (struct own){owned, text};
        owned = own;
    }
    __VERIFIER_atomic_end();
    return 0;
}

int clearenv(void)
{
    note_change();
    __VERIFIER_atomic_begin();
    for (struct variable *variable = variables; variable != NULL; variable = variable->next)
        variable->value = NULL;
    owned = NULL;
    cleared = 1;
    __VERIFIER_atomic_end();
    return 0;
}
