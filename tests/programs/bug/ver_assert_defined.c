// Programs of the competition bring their own assertion function and reach_error.
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *);
void reach_error(void) { __assert_fail("0", "own.c", 4, "reach_error"); }
extern int __VERIFIER_nondet_int(void);

void check(int cond)
{
    if (!(cond)) {
    ERROR: { reach_error(); abort(); } //~ BUG(assertion)
    }
    return;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > 5 && x < 8)
        check(x == 6);
    return 0;
}
