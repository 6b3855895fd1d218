# 1 "original.c"
# 1 "<built-in>" 1
# 1 "original.c"
extern void abort(void);
typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
int shared;
void *worker(void *arg)
{
    __VERIFIER_atomic_begin();
    shared = shared + 1;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (shared != 2) { ERROR: { reach_error(); abort(); } }
    return 0;
}
