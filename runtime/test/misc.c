/* Arithmetic, inputs (random numbers, time), signals, streams, process, getopt, locale. */
#define _GNU_SOURCE
#include "check.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <threads.h>
#include <strings.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

OURS(abs); OURS(labs); OURS(llabs); OURS(imaxabs); OURS(div); OURS(ldiv); OURS(lldiv); OURS(imaxdiv); OURS(ffs); OURS(ffsl); OURS(ffsll);
OURS(rand); OURS(rand_r); OURS(srand); OURS(random); OURS(lrand48); OURS(mrand48); OURS(drand48);
OURS(time); OURS(clock); OURS(gettimeofday); OURS(clock_gettime); OURS(clock_getres); OURS(timespec_get); OURS(nanosleep); OURS(difftime);
OURS(signal); OURS(sigaction); OURS(sigemptyset); OURS(sigfillset); OURS(sigaddset); OURS(sigdelset); OURS(sigismember);
OURS(pthread_sigmask); OURS(sigprocmask); OURS(alarm);
OURS(fopen); OURS(fclose); OURS(fflush); OURS(fileno); OURS(setbuf); OURS(setvbuf);
OURS(getpid); OURS(getppid); OURS(gettid); OURS(getpagesize); OURS(get_nprocs); OURS(sysconf); OURS(isatty); OURS(thrd_sleep);
OURS(getopt); OURS(getenv); OURS(setenv); OURS(unsetenv); OURS(putenv); OURS(clearenv); OURS(setlocale);
OURS(fgetc); OURS(fgets); OURS(ungetc); OURS(feof); OURS(ferror); OURS(fread); OURS(fscanf);
uint16_t sl_htons(uint16_t), sl_ntohs(uint16_t);
uint32_t sl_htonl(uint32_t), sl_ntohl(uint32_t);
extern FILE *const sl_stdin, *const sl_stdout, *const sl_stderr;
extern char *sl_optarg;
extern int sl_optind, sl_opterr, sl_optopt, thread_id;

static void test_arithmetic(void)
{
    long long wide = (long long)((uint64_t)random_bits() << 32 | random_bits()) >> below(64);
    long long wide_by = (long long)((uint64_t)random_bits() << 32 | random_bits()) >> below(64);
    if (wide == LLONG_MIN || wide_by == 0 || (int)wide == INT_MIN || (int)wide_by == 0 || (long)wide == LONG_MIN || (long)wide_by == 0)
        return;
    int value = (int)wide, by = (int)wide_by;
    long middle = (long)wide, middle_by = (long)wide_by;
    CHECK(sl_abs(value) == abs(value), "%d", value);
    CHECK(sl_labs(middle) == labs(middle), "%ld", middle);
    CHECK(sl_llabs(wide) == llabs(wide), "%lld", wide);
    CHECK(sl_imaxabs(wide) == imaxabs(wide), "%lld", wide);
    CHECK(sl_div(value, by).quot == value / by && sl_div(value, by).rem == value % by, "%d / %d", value, by);
    CHECK(sl_ldiv(middle, middle_by).quot == middle / middle_by && sl_ldiv(middle, middle_by).rem == middle % middle_by, "ldiv");
    CHECK(sl_lldiv(wide, wide_by).quot == wide / wide_by && sl_lldiv(wide, wide_by).rem == wide % wide_by, "lldiv");
    CHECK(sl_imaxdiv(wide, wide_by).quot == wide / wide_by && sl_imaxdiv(wide, wide_by).rem == wide % wide_by, "imaxdiv");
    unsigned place = below(64);
    CHECK(sl_ffs((int)(wide << place)) == ffs((int)(wide << place)), "ffs");
    CHECK(sl_ffsl((long)(wide << place)) == ffsl((long)(wide << place)), "ffsl");
    CHECK(sl_ffsll(wide << place) == ffsll(wide << place), "ffsll");
    CHECK(sl_htons((uint16_t)wide) == htons((uint16_t)wide) && sl_ntohs((uint16_t)wide) == ntohs((uint16_t)wide), "htons");
    CHECK(sl_htonl((uint32_t)wide) == htonl((uint32_t)wide) && sl_ntohl((uint32_t)wide) == ntohl((uint32_t)wide), "htonl");
}

/* Each path either ends at an assumption or gives a value of the range. */
static void test_inputs(void)
{
    unsigned seed = 5;
    time_t stored = -1;
    struct timeval day = {-1, -1};
    struct timespec spec = {-1, -1};
    struct timezone zone = {1, 1};
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_rand() >= 0, "rand");
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_rand_r(&seed) >= 0, "rand_r");
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_random() >= 0, "random");
    if (setjmp(assumption_failed) == 0) {
        long value = sl_lrand48();
        CHECK(value >= 0 && value <= INT_MAX, "lrand48");
    }
    long value = sl_mrand48();
    CHECK(value >= INT_MIN && value <= INT_MAX, "mrand48");
    if (setjmp(assumption_failed) == 0) {
        double fraction = sl_drand48();
        CHECK(fraction >= 0 && fraction < 1, "drand48 %f", fraction);
    }
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_time(&stored) == stored && stored >= 0 && (stored = sl_time(NULL)) >= 0, "time");
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_clock() >= 0 || sizeof(long) == 4, "clock");
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_gettimeofday(&day, &zone) == 0 && day.tv_sec >= 0 && day.tv_usec >= 0 && day.tv_usec < 1000000, "gettimeofday");
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_clock_gettime(CLOCK_REALTIME, &spec) == 0 && spec.tv_sec >= 0 && spec.tv_nsec >= 0 && spec.tv_nsec < 1000000000, "clock_gettime");
    if (setjmp(assumption_failed) == 0) {
        static struct timespec last;
        CHECK(sl_clock_gettime(CLOCK_MONOTONIC, &spec) == 0, "clock_gettime");
        CHECK(spec.tv_sec > last.tv_sec || (spec.tv_sec == last.tv_sec && spec.tv_nsec >= last.tv_nsec), "clock_gettime runs backwards");
        last = spec;
    }
    if (setjmp(assumption_failed) == 0)
        CHECK(sl_timespec_get(&spec, TIME_UTC) == TIME_UTC && spec.tv_nsec >= 0, "timespec_get");
}

static void test_time(void)
{
    struct timespec second = {1, 0}, invalid = {0, 1000000000}, negative = {-1, 0}, resolution;
    CHECK(sl_nanosleep(&second, NULL) == 0, "nanosleep");
    errno = 0;
    CHECK(sl_nanosleep(&invalid, NULL) == -1 && errno == EINVAL, "nanosleep");
    CHECK(sl_nanosleep(&negative, NULL) == -1, "nanosleep");
    errno = 0;
    CHECK(sl_clock_gettime(42, &resolution) == -1 && errno == EINVAL, "clock_gettime");
    CHECK(sl_difftime(10, 3) == 7 && sl_difftime(3, 10) == -7, "difftime");
    CHECK(sl_clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && resolution.tv_sec == 0 && resolution.tv_nsec == 42, "clock_getres");
    for (int clock = 0; clock < 16; clock++)
        if (clock != CLOCK_REALTIME_ALARM && clock != CLOCK_BOOTTIME_ALARM) /* the machine may not have them */
            CHECK(sl_clock_getres(clock, NULL) == clock_getres(clock, NULL), "%d", clock);
    CHECK(sl_thrd_sleep(&second, NULL) == 0 && sl_thrd_sleep(&invalid, NULL) == thrd_sleep(&invalid, NULL), "thrd_sleep");
}

static void handle(int number)
{
    (void)number;
}

/* The same to both, for a signal that nobody sends. */
static void test_actions(void)
{
    void (*handlers[])(int) = {SIG_DFL, SIG_IGN, handle, SIG_ERR};
    for (int i = 0; i < 300; i++) {
        int few[] = {SIGUSR1, SIGUSR2, SIGWINCH}, number = below(3) ? few[below(3)] : (int)below(70) - 2;
        if (number >= 1 && number <= 31 && number != SIGUSR1 && number != SIGUSR2 && number != SIGWINCH && number != SIGKILL && number != SIGSTOP)
            continue; /* the tests themselves need them */
        void (*handler)(int) = handlers[below(4)];
        if (below(2)) {
            errno = 0;
            void (*ours)(int) = sl_signal(number, handler);
            int error = errno;
            errno = 0;
            CHECK(ours == signal(number, handler) && error == errno, "%d", number);
            continue;
        }
        struct sigaction action = {.sa_handler = handler == SIG_ERR ? handle : handler}, ours, theirs;
        memset(&ours, 0, sizeof ours);
        memset(&theirs, 0, sizeof theirs);
        if (below(2))
            sigfillset(&action.sa_mask);
        action.sa_flags = below(2) ? SA_RESTART : 0;
        const struct sigaction *given = below(3) ? &action : NULL;
        errno = 0;
        int result = sl_sigaction(number, given, &ours), error = errno;
        errno = 0;
        CHECK(result == sigaction(number, given, &theirs) && error == errno, "%d", number);
        CHECK(ours.sa_handler == theirs.sa_handler && ours.sa_flags == theirs.sa_flags, "%d", number);
        CHECK(memcmp(&ours.sa_mask, &theirs.sa_mask, 8) == 0, "%d", number);
    }
}

static void test_masks(void)
{
    sigset_t none;
    sigemptyset(&none);
    sl_pthread_sigmask(SIG_SETMASK, &none, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 0; i < 100; i++) {
        sigset_t set, ours, theirs;
        sigemptyset(&set);
        for (unsigned n = below(8); n > 0; n--)
            sigaddset(&set, 1 + (int)below(64));
        if (below(8) == 0)
            sigfillset(&set);
        int hows[] = {SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK, 77}, how = hows[below(4)];
        memset(&ours, '#', sizeof ours);
        memset(&theirs, '#', sizeof theirs);
        const sigset_t *given = below(4) ? &set : NULL;
        CHECK(sl_pthread_sigmask(how, given, NULL) == pthread_sigmask(how, given, NULL), "%d", how);
        CHECK(sl_sigprocmask(SIG_BLOCK, NULL, &ours) == sigprocmask(SIG_BLOCK, NULL, &theirs), "sigprocmask");
        CHECK(memcmp(&ours, &theirs, sizeof ours) == 0, "%d", how);
    }
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void test_signals(void)
{
    sigset_t ours, theirs;
    struct sigaction action[2];
    memset(action, '#', sizeof action);
    sl_sigemptyset(&ours);
    memset(&theirs, 0, sizeof theirs); /* glibc clears only the 64 bits that the kernel knows */
    CHECK(memcmp(&ours, &theirs, sizeof ours) == 0, "sigemptyset");
    for (int i = 0; i < 100; i++) {
        int number = (int)below(70) - 2;
        if (below(3)) {
            CHECK(sl_sigaddset(&ours, number) == sigaddset(&theirs, number), "%d", number);
        } else {
            CHECK(sl_sigdelset(&ours, number) == sigdelset(&theirs, number), "%d", number);
        }
        CHECK(memcmp(&ours, &theirs, sizeof ours) == 0, "%d", number);
        CHECK(sl_sigismember(&ours, number) == sigismember(&theirs, number), "%d", number);
    }
    sl_sigfillset(&ours);
    memset(&theirs, 0, sizeof theirs);
    sigfillset(&theirs);
    CHECK(memcmp(&ours, &theirs, sizeof ours) == 0, "sigfillset");
    CHECK(sl_sigaction(SIGINT, action, action) == 0 && action[0].sa_handler == SIG_DFL && action[0].sa_flags == 0, "sigaction");
    CHECK(*(unsigned char *)&action[1] == '#', "size of struct sigaction");
    CHECK(sl_pthread_sigmask(SIG_BLOCK, &ours, &theirs) == 0 && sigismember(&theirs, SIGINT) == 0, "pthread_sigmask");
    CHECK(sl_alarm(3) == 0, "alarm");
    test_actions();
    test_masks();
}

static void test_process(void)
{
    CHECK(sl_getpid() == 42 && sl_gettid() == 42 && sl_getppid() == 42, "getpid");
    thread_id = 3;
    CHECK(sl_gettid() == 42 + 3 * 43, "gettid");
    CHECK(sl_getpagesize() == 4096 && sl_sysconf(_SC_PAGESIZE) == sysconf(_SC_PAGESIZE), "page size");
    CHECK(sl_sysconf(_SC_CLK_TCK) == sysconf(_SC_CLK_TCK) && sl_sysconf(_SC_OPEN_MAX) > 0, "sysconf");
    CHECK(sl_sysconf(_SC_NPROCESSORS_ONLN) == 2 && sl_sysconf(_SC_NPROCESSORS_CONF) == 2 && sl_get_nprocs() == 2, "processors");
    int fixed[] = {_SC_JOB_CONTROL, _SC_SAVED_IDS, _SC_VERSION, _SC_THREADS, _SC_MONOTONIC_CLOCK, _SC_LINE_MAX, _SC_STREAM_MAX, _SC_IOV_MAX,
                   _SC_LOGIN_NAME_MAX, _SC_THREAD_KEYS_MAX, _SC_ATEXIT_MAX, _SC_HOST_NAME_MAX, _SC_NGROUPS_MAX};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        CHECK(sl_sysconf(fixed[i]) == sysconf(fixed[i]), "%d", fixed[i]);
    CHECK(sl_sysconf(_SC_PHYS_PAGES) > 0, "sysconf");
    errno = 0;
    CHECK(sl_sysconf(9999) == -1 && errno == EINVAL, "sysconf");
    errno = 0;
    CHECK(sl_sysconf(-1) == -1 && errno == EINVAL, "sysconf");
    errno = 0;
    CHECK(sl_isatty(0) == 1 || errno == ENOTTY, "isatty");
    errno = 0;
    CHECK(sl_isatty(77) == 0 && errno == EBADF, "isatty of what is not open");
    setenv("SLEAVE_EQUALS", "B=c", 1);
    setenv("SLEAVE_TEST", "yes", 1);
    CHECK(strcmp(sl_getenv("SLEAVE_EQUALS=B"), getenv("SLEAVE_EQUALS=B")) == 0 && sl_getenv("SLEAVE_EQUALS=") == NULL, "getenv with =");
    CHECK(strcmp(sl_getenv("SLEAVE_TEST"), "yes") == 0 && sl_getenv("SLEAVE_NONE") == NULL, "getenv");
    CHECK(strcmp(sl_getenv("SLEAVE_GIVEN"), "this") == 0 && sl_getenv("SLEAVE_MISSING") == NULL, "getenv of --env");
    CHECK(sl_getenv("") == NULL && sl_getenv("SLEAVE_GIVEN=") == NULL, "getenv of no name");
    setenv("SLEAVE_TEST", "no", 1);
    CHECK(strcmp(sl_getenv("SLEAVE_TEST"), "yes") == 0, "getenv again");
    CHECK(sl_setenv("SLEAVE_TEST", "set", 0) == 0 && strcmp(sl_getenv("SLEAVE_TEST"), "yes") == 0, "setenv without overwriting");
    CHECK(sl_setenv("SLEAVE_TEST", "set", 1) == 0 && strcmp(sl_getenv("SLEAVE_TEST"), "set") == 0, "setenv");
    CHECK(sl_setenv("a=b", "", 1) == -1 && errno == EINVAL, "setenv of no name");
    CHECK(sl_unsetenv("SLEAVE_GIVEN") == 0 && sl_getenv("SLEAVE_GIVEN") == NULL, "unsetenv");
    static char own[] = "SLEAVE_OWN=1";
    CHECK(sl_putenv(own) == 0 && sl_getenv("SLEAVE_OWN") == own + 11, "putenv");
    own[7] = 'E';
    CHECK(sl_getenv("SLEAVE_EWN") == own + 11 && sl_getenv("SLEAVE_OWN") == NULL, "putenv of what changes");
    own[7] = 'O';
    CHECK(sl_setenv("SLEAVE_OWN", "2", 0) == 0 && sl_getenv("SLEAVE_OWN") == own + 11, "setenv without overwriting");
    CHECK(sl_setenv("SLEAVE_OWN", "2", 1) == 0 && strcmp(sl_getenv("SLEAVE_OWN"), "2") == 0, "setenv of what was put");
    CHECK(sl_putenv(own) == 0 && sl_unsetenv("SLEAVE_OWN") == 0 && sl_getenv("SLEAVE_OWN") == NULL, "unsetenv of what was put");
    CHECK(sl_putenv(own) == 0 && sl_putenv("SLEAVE_OWN") == 0 && sl_getenv("SLEAVE_OWN") == NULL, "putenv without =");
    CHECK(sl_putenv(own) == 0 && sl_getenv("SLEAVE_OWN") == own + 11, "putenv again");
    CHECK(sl_clearenv() == 0 && sl_getenv("SLEAVE_OWN") == NULL && sl_getenv("SLEAVE_NEW") == NULL, "clearenv");
    CHECK(strcmp(sl_setlocale(LC_ALL, ""), "C") == 0 && strcmp(sl_setlocale(LC_ALL, NULL), "C") == 0, "setlocale");
    CHECK(strcmp(sl_setlocale(LC_ALL, "POSIX"), "C") == 0 && sl_setlocale(LC_ALL, "de_DE") == NULL, "setlocale");
}

static void test_streams(void)
{
    errno = 0;
    int number = 0, other = 0;
    char word[8] = "", line[16] = "";
    CHECK(sl_ungetc('7', sl_stdin) == '7', "ungetc at the beginning");
    CHECK(sl_fscanf(sl_stdin, "%d%i%7s", &number, &other, word) == 3 && number == 712 && other == 31 && strcmp(word, "word") == 0, "fscanf");
    CHECK(sl_fgetc(sl_stdin) == '\n' && sl_ungetc('\n', sl_stdin) == '\n' && sl_fgetc(sl_stdin) == '\n', "fgetc");
    CHECK(sl_fgets(line, 5, sl_stdin) == line && strcmp(line, "seco") == 0, "fgets of a part");
    CHECK(sl_fgets(line, sizeof line, sl_stdin) == line && strcmp(line, "nd line\n") == 0 && !sl_feof(sl_stdin), "fgets");
    CHECK(sl_fread(line, 1, 5, sl_stdin) == 2 && line[0] == 0 && line[1] == 'x' && sl_feof(sl_stdin), "fread to the end");
    CHECK(sl_fgets(line, sizeof line, sl_stdin) == NULL && line[1] == 'x' && sl_fscanf(sl_stdin, "%d", &number) == EOF, "the end");
    CHECK(!sl_ferror(sl_stdin) && sl_fgetc(sl_stdout) == EOF && sl_ferror(sl_stdout), "ferror");
    CHECK(sl_fileno(sl_stdin) == 0 && sl_fileno(sl_stdout) == 1 && sl_fileno(sl_stderr) == 2, "fileno");
    CHECK(sl_fflush(sl_stdout) == 0 && sl_fflush(NULL) == 0 && sl_fclose(sl_stdin) == 0, "fflush");
    CHECK(sl_setvbuf(sl_stdout, NULL, _IONBF, 0) == 0, "setvbuf");
}

/* Random command lines through both, step by step. */
static void test_getopt(void)
{
    char *words[] = {"-a", "-b", "-ab", "-cx", "-c", "-bc", "x", "-", "--", "-z", "-az", "-d", "-dy", "-:", "-abcx", ""};
    const char *options[] = {"+abc:d::", "+:abc:d::", "abc:d::", ":abc:d::", "-abc:d::", "-:abc:d::"};
    char *arguments[8] = {"program"}, *theirs_of[8];
    int count = 1 + (int)below(6);
    const char *set = options[below(6)];
    for (int i = 1; i < count; i++)
        arguments[i] = words[below(sizeof words / sizeof *words)];
    arguments[count] = NULL;
    memcpy(theirs_of, arguments, sizeof arguments);
    optind = sl_optind = 0;
    opterr = sl_opterr = 0;
    for (int step = 0; step < 20; step++) {
        int ours = sl_getopt(count, arguments, set), theirs = getopt(count, theirs_of, set);
        CHECK(ours == theirs, "option %d, not %d", ours, theirs);
        CHECK(sl_optind == optind, "optind %d, not %d at %c", sl_optind, optind, theirs);
        CHECK(memcmp(arguments, theirs_of, count * sizeof *arguments) == 0, "arguments moved");
        if (ours != theirs || theirs == -1)
            break;
        CHECK(sl_optarg == optarg, "optarg at %c", theirs);
        if (theirs == '?' || theirs == ':')
            CHECK(sl_optopt == optopt, "optopt %d, not %d", sl_optopt, optopt);
    }
}

int main(void)
{
    for (int i = 0; i < 20000; i++) {
        test_arithmetic();
        test_inputs();
    }
    test_time();
    test_signals();
    test_process();
    test_streams();
    /* Last: it looks at the environment, which glibc moves when it changes it. */
    for (int i = 0; i < 20000; i++)
        test_getopt();
    return finish();
}
