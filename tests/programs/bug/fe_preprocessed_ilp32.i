// sleave: -- -m32
// Preprocessed ILP32 input in the style of the verification competition: x is read before y is written.
typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void abort(void);
extern void reach_error(void);
int x, y;
void *writer(void *arg)
{
    x = 1;
    y = 1;
    return 0;
}
int main()
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen_x = x;
    int seen_y = y;
    if (seen_y > seen_x) { ERROR: reach_error(); abort(); } //~ BUG(assertion)
    pthread_join(t, 0);
    return 0;
}
