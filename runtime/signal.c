/*
 * Signals are never delivered: handlers can be installed and sets computed, but no handler runs. A program whose handler does more than
 * end it is thereby explored only in part; raise and kill are not modelled, so that a program that sends signals is `unknown`.
 *
 * What was installed or blocked is given back as glibc and Linux do. At the start all signals have their default action, and none is
 * blocked.
 */
#include "sleave_runtime.h"

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

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

enum { SIGKILL = 9, SIGALRM = 14, SIGSTOP = 19, LAST_SIGNAL = 64 };
/* glibc keeps these for itself. */
enum { FIRST_OWN = 32, LAST_OWN = 33 };

#define SIG_DFL ((handler *)0)
#define SIG_ERR ((handler *)-1)
#define SA_RESTART 0x10000000
#define SA_RESTORER 0x04000000
#define WORD_BITS (CHAR_BIT * sizeof(unsigned long))

/* Signal 1 first. */
typedef unsigned long long signals;

static int is_signal(int signal)
{
    if (signal >= 1 && signal <= LAST_SIGNAL)
        return 1;
    errno = EINVAL;
    return 0;
}

/* One that programs may use. */
static int is_usable(int signal)
{
    if (is_signal(signal) && (signal < FIRST_OWN || signal > LAST_OWN))
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

static signals one(int signal)
{
    return 1ull << (signal - 1);
}

/* What can be blocked. */
static signals blockable(const sigset_t *set)
{
    signals bits;
    memcpy(&bits, set, sizeof bits);
    return bits & ~(one(SIGKILL) | one(SIGSTOP));
}

struct action {
    handler *handler;
    signals mask;
    int flags;
    void (*restorer)(void);
};

static struct action actions[LAST_SIGNAL + 1];

/* Installs one, unless it is null; the one before. */
static struct action replace(int signal, const struct action *action)
{
    __VERIFIER_atomic_begin();
    struct action previous = actions[signal];
    if (action != NULL)
        actions[signal] = *action;
    __VERIFIER_atomic_end();
    return previous;
}

static int can_install(int signal)
{
    if (is_usable(signal) && signal != SIGKILL && signal != SIGSTOP)
        return 1;
    errno = EINVAL;
    return 0;
}

/* On x86-64 the library adds where a handler returns to. */
static int kernel_flags(int flags)
{
    return sizeof(void *) == 8 ? flags | SA_RESTORER : flags;
}

handler *signal(int signal, handler *new)
{
    if (new == SIG_ERR || !can_install(signal)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    struct action action = {new, one(signal), kernel_flags(SA_RESTART), NULL};
    return replace(signal, &action).handler;
}

int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict previous)
{
    if (!(action == NULL ? is_usable(signal) : can_install(signal)))
        return -1;
    struct action before;
    if (action == NULL) {
        before = replace(signal, NULL);
    } else {
        struct action new = {action->handler, blockable(&action->mask), kernel_flags(action->flags), action->restorer};
        before = replace(signal, &new);
    }
    if (previous != NULL) {
        memset(previous, 0, sizeof *previous);
        previous->handler = before.handler;
        memcpy(&previous->mask, &before.mask, sizeof before.mask);
        previous->flags = before.flags;
        previous->restorer = before.restorer;
    }
    return 0;
}

int sigemptyset(sigset_t *set)
{
    memset(set, 0, sizeof *set);
    return 0;
}

int sigfillset(sigset_t *set)
{
    memset(set, 0, sizeof *set);
    signals all = ~(one(FIRST_OWN) | one(LAST_OWN));
    memcpy(set, &all, sizeof all);
    return 0;
}

int sigaddset(sigset_t *set, int signal)
{
    if (!is_usable(signal))
        return -1;
    *word_of(set, signal) |= bit_of(signal);
    return 0;
}

int sigdelset(sigset_t *set, int signal)
{
    if (!is_usable(signal))
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

enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };

/* What the thread has blocked, and of which signals it has said whether they are: the others are as in the thread that made it. */
static __thread signals blocked, decided;
/* Whether any thread has blocked any. */
static int some_block;

/* Before there is an answer to give, it must be known. */
static signals all_blocked(void)
{
    __VERIFIER_atomic_begin();
    int is_known = __sleave_thread_id() == 0 || !some_block || ~decided == 0;
    __VERIFIER_atomic_end();
    if (!is_known)
        __sleave_unsupported("signals that a thread blocks because the one that made it did");
    return blocked;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict previous)
{
    signals before = previous == NULL ? 0 : all_blocked();
    if (set != NULL) {
        signals these = blockable(set);
        switch (how) {
        case SIG_BLOCK:
            blocked |= these;
            decided |= these;
            break;
        case SIG_UNBLOCK:
            blocked &= ~these;
            decided |= these;
            break;
        case SIG_SETMASK:
            blocked = these;
            decided = ~0ull;
            break;
        default:
            return EINVAL;
        }
        if (blocked != 0) {
            __VERIFIER_atomic_begin();
            some_block = 1;
            __VERIFIER_atomic_end();
        }
    }
    /* Linux writes no more of the set. */
    if (previous != NULL)
        memcpy(previous, &before, sizeof before);
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict previous)
{
    int error = pthread_sigmask(how, set, previous);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/*
 * What is left of the time until the alarm, in seconds that have begun. It has not gone off if that would have ended the process: no
 * signal is delivered.
 */
unsigned alarm(unsigned seconds)
{
    static unsigned latest;
    __VERIFIER_atomic_begin();
    unsigned rest = 0;
    if (latest > 0) {
        rest = (unsigned)__sleave_input("alarm", 32);
        __sleave_assume((rest <= latest) & ((rest > 0) | (actions[SIGALRM].handler != SIG_DFL)));
    }
    latest = seconds;
    __VERIFIER_atomic_end();
    return rest;
}
