int f(int n) { static void *t[] = { &&a, &&b }; switch (n) { case 1: return 2; case 5: case 6: n++; break; default: goto *t[n & 1]; } a: while (n > 3) n -= 2; b: return n ? f(n - 1) : -1; }
