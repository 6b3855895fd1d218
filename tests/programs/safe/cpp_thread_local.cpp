// A thread_local object is constructed once in each thread that uses it.
#include <cassert>
#include <pthread.h>

static thread_local int depth = 3;

static void *worker(void *)
{
    depth++;
    assert(depth == 4);
    return nullptr;
}

int main()
{
    pthread_t a, b;
    pthread_create(&a, nullptr, worker, nullptr);
    pthread_create(&b, nullptr, worker, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    assert(depth == 3);
}
