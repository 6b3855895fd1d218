// abort() is an error of its own kind.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    if (__VERIFIER_nondet_int() == 1)
        abort(); //~ BUG(abort)
    return 0;
}
