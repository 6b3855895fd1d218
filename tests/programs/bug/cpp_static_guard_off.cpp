// sleave: -- -fno-threadsafe-statics
// Without thread-safe statics two threads may both construct the object.
#include <cassert>
#include <pthread.h>

static int constructed;

struct config {
    config() { __atomic_fetch_add(&constructed, 1, __ATOMIC_SEQ_CST); }
};

static void *user(void *)
{
    static config c;
    return &c;
}

int main()
{
    pthread_t t;
    pthread_create(&t, nullptr, user, nullptr);
    user(nullptr);
    pthread_join(t, nullptr);
    assert(constructed == 1); //~ BUG(assertion)
}
