// The string that vsnprintf formats is written by another thread.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static char text[4] = "a";
static char line[16];

static int note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return n;
}

static void *writer(void *arg)
{
    text[1] = 'b';
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    int n = note("%d %s", 7, text);
    assert(n == 3); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
