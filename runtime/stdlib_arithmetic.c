/* Integer arithmetic: abs, div, ffs and the byte orders of the network. No branch depends on a value: a symbolic one does not fork. */
#include "sleave_runtime.h"

typedef struct {
    int quot, rem;
} div_t;

typedef struct {
    long quot, rem;
} ldiv_t;

typedef struct {
    long long quot, rem;
} lldiv_t;

typedef struct {
    intmax_t quot, rem;
} imaxdiv_t;

int abs(int value) { return __builtin_abs(value); }
long labs(long value) { return __builtin_labs(value); }
long long llabs(long long value) { return __builtin_llabs(value); }
intmax_t imaxabs(intmax_t value) { return __builtin_llabs(value); }

div_t div(int value, int by) { return (div_t){value / by, value % by}; }
ldiv_t ldiv(long value, long by) { return (ldiv_t){value / by, value % by}; }
lldiv_t lldiv(long long value, long long by) { return (lldiv_t){value / by, value % by}; }
imaxdiv_t imaxdiv(intmax_t value, intmax_t by) { return (imaxdiv_t){value / by, value % by}; }

/* The place of the lowest bit that is set, counted from 1; 0 if there is none. */
int ffs(int value) { return __builtin_ffs(value); }
int ffsl(long value) { return __builtin_ffsl(value); }
int ffsll(long long value) { return __builtin_ffsll(value); }

/* x86 is little-endian. */
uint16_t htons(uint16_t value) { return (uint16_t)(value << 8 | value >> 8); }
uint32_t htonl(uint32_t value) { return value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24; }
uint16_t ntohs(uint16_t value) { return htons(value); }
uint32_t ntohl(uint32_t value) { return htonl(value); }
