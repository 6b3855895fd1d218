// N threads add to one variable atomically, and none uses the old value.
#include <atomic>
#include <cassert>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef FORM
#define FORM 0
#endif

static std::atomic<int> x;

static void *thread(void *) {
    switch (FORM) {
    case 0: x.fetch_add(1); break;
    case 1: x++; break;
    case 2: ++x; break;
    case 3: x += 1; break;
    case 4: x.fetch_sub(-1, std::memory_order_relaxed); break;
    }
    return nullptr;
}

int main() {
    pthread_t t[N];
    for (auto &one : t) pthread_create(&one, nullptr, thread, nullptr);
    for (auto one : t) pthread_join(one, nullptr);
    assert(x == N);
}
