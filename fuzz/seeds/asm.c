int swap(int *p, int v) { __asm__ volatile("lock; xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory"); return v; }
