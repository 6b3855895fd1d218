/*
 * Signals are never delivered: handlers can be installed and sets computed, but no handler runs. A program whose handler does more than
 * end it is thereby explored only in part; raise and kill are not modelled, so that a program that sends signals is `unknown`.
 */
#include "sleave_runtime.h"

typedef void handler(int signal);

/* 1024 bits, signal 1 first. */
typedef struct {
    unsigned long bits[1024 / (CHAR_BIT * sizeof(unsigned long))];
} sigset_t;

struct sigaction {
    handler *handler;
    sigset_t mask;
    int flags;
    void (*restorer)(void);
};

#define LAST_SIGNAL 64
#define WORD_BITS (CHAR_BIT * sizeof(unsigned long))

static int is_signal(int signal)
{
    if (signal >= 1 && signal <= LAST_SIGNAL)
        return 1;
    errno = EINVAL;
    return 0;
}

static unsigned long *word_of(const sigset_t *set, int signal)
{
    return (unsigned long *)&set->bits[(size_t)(signal - 1) / WORD_BITS];
}

static unsigned long bit_of(int signal)
{
    return 1ul << ((size_t)(signal - 1) % WORD_BITS);
}

/* The previous handler is always the default one, SIG_DFL. */
handler *signal(int signal, handler *handler)
{
    (void)signal;
    (void)handler;
    return NULL;
}

int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict previous)
{
    (void)action;
    if (!is_signal(signal))
        return -1;
    if (previous != NULL)
        memset(previous, 0, sizeof *previous);
    return 0;
}

int sigemptyset(sigset_t *set)
{
    memset(set, 0, sizeof *set);
    return 0;
}

int sigfillset(sigset_t *set)
{
    memset(set, 0xff, sizeof *set);
    return 0;
}

int sigaddset(sigset_t *set, int signal)
{
    if (!is_signal(signal))
        return -1;
    *word_of(set, signal) |= bit_of(signal);
    return 0;
}

int sigdelset(sigset_t *set, int signal)
{
    if (!is_signal(signal))
        return -1;
    *word_of(set, signal) &= ~bit_of(signal);
    return 0;
}

int sigismember(const sigset_t *set, int signal)
{
    if (!is_signal(signal))
        return -1;
    return (*word_of(set, signal) & bit_of(signal)) != 0;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict previous)
{
    (void)how;
    (void)set;
    if (previous != NULL)
        memset(previous, 0, sizeof *previous);
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict previous)
{
    return pthread_sigmask(how, set, previous);
}

unsigned alarm(unsigned seconds)
{
    (void)seconds;
    return 0;
}
