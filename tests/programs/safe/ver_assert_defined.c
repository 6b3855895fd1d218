// Programs of the competition bring their own __VERIFIER_assert and reach_error.
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *);
void reach_error(void) { __assert_fail("0", "own.c", 3, "reach_error"); }
extern int __VERIFIER_nondet_int(void);

void __VERIFIER_assert(int cond)
{
    if (!(cond)) {
    ERROR: { reach_error(); abort(); }
    }
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > 5 && x < 7)
        __VERIFIER_assert(x == 6);
    return 0;
}
