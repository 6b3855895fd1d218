// runs: 4
// A switch over an input with three cases and a default, all feasible.
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int r;
    switch (__VERIFIER_nondet_int()) {
    case 1: r = 10; break;
    case 2: r = 20; break;
    case 3: r = 30; break;
    default: r = 0; break;
    }
    return r;
}
