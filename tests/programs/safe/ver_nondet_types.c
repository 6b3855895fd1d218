// Each __VERIFIER_nondet_T stays within its type.
#include <assert.h>
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int c = __VERIFIER_nondet_char(), uc = __VERIFIER_nondet_uchar();
    int s = __VERIFIER_nondet_short(), us = __VERIFIER_nondet_ushort();
    assert(c >= -128 && c <= 127);
    assert(uc >= 0 && uc <= 255);
    assert(s >= -32768 && s <= 32767);
    assert(us >= 0 && us <= 65535);
    long i = __VERIFIER_nondet_int();
    assert(i >= -2147483648L && i <= 2147483647L);
    long u = __VERIFIER_nondet_uint();
    assert(u >= 0 && u <= 4294967295L);
    long l = __VERIFIER_nondet_long();
    unsigned long ul = __VERIFIER_nondet_ulong();
    assert((l ^ l) == 0 && (ul | 1) != 0);
    int b = __VERIFIER_nondet_bool();
    assert(b == 0 || b == 1);
    return 0;
}
