/* Two threads with a vector each. One appends the other's vector to its own if its own has what it
   looks for; the other one does so if its own is long enough. Both hold their own vector and wait
   for the other's.
   P2, Table 2, VecDeadlock0: addAll of the synchronised Vector of JDK 1.4, which calls toArray of
   the other vector. The paper has 37 states, a trace of 14 locations and 1 refinement; its program
   is not known beyond that. Here each thread asks for an input. */
#include "collections.h"

#include <pthread.h>

extern "C" int __VERIFIER_nondet_int(void);

using collections::ArrayList;
using collections::Vector;

/* What a thread works on: its own vector, and that of the other one. */
struct Vectors {
    Vector<int> &own;
    Vector<int> &other;
};

static void *fetch(void *arg)
{
    auto *vectors = static_cast<Vectors *>(arg);
    int wanted = __VERIFIER_nondet_int();
    if (vectors->own.contains(wanted))
        vectors->own.addAll(vectors->other);
    return nullptr;
}

static void *collect(void *arg)
{
    auto *vectors = static_cast<Vectors *>(arg);
    int limit = __VERIFIER_nondet_int();
    if (vectors->own.size() > limit)
        vectors->own.addAll(vectors->other);
    return nullptr;
}

int main()
{
    ArrayList<int> first;
    first.add(3);
    Vector<int> left(first), right(first);
    Vectors of_fetch = {left, right}, of_collect = {right, left};
    pthread_t fetches, collects;
    pthread_create(&fetches, nullptr, fetch, &of_fetch);
    pthread_create(&collects, nullptr, collect, &of_collect);
    pthread_join(fetches, nullptr);
    pthread_join(collects, nullptr);
    return 0;
}
