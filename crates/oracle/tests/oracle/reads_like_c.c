#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int g0 = 0;
int g1 = 0;
int e0;
int a0[2] = {4, 5};
pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;
sem_t s0;
int t0_l0;
int t0_l1;
int t1_l0;
int t1_l1;

void *thread0(void *argument) {
    int in0 = (signed char)((long)argument >> 0);
    int in1 = (signed char)((long)argument >> 8);
    int l0 = 0;
    int l1 = 0;
    if (in1 == 1) {
        g0 = (int)((unsigned)g0 + (unsigned)l0);
    } else {
        pthread_mutex_lock(&m0);
        pthread_mutex_unlock(&m0);
    }
    assert(l1 != (-1));
    g1 = in0;
    t0_l0 = l0;
    t0_l1 = l1;
    return 0;
}

void *thread1(void *argument) {
    int in0 = (int)(long)argument;
    int l0 = 0;
    int l1 = 0;
    for (int i0 = 0; i0 < 2; i0++) {
        l0 = a0[in0 & 1];
    }
    t1_l0 = l0;
    t1_l1 = l1;
    return 0;
}

int main(void) {
    int in0 = __VERIFIER_nondet_int();
    __VERIFIER_assume(in0 >= 0 && in0 <= 3);
    int in1 = __VERIFIER_nondet_int();
    __VERIFIER_assume(in1 >= (-1) && in1 <= 1);
    sem_init(&s0, 0, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread0, (void *)(long)((unsigned)(in0 & 255) << 0 | (unsigned)(in1 & 255) << 8));
    pthread_create(&threads[1], 0, thread1, (void *)(long)in0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    e0 = g0;
    return 0;
}
