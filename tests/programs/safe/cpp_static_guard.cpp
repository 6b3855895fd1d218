// A function-local static is initialised once even if two threads come at the same time.
#include <cassert>
#include <pthread.h>

static int constructed;

struct config {
    int size;
    config() : size(8) { constructed++; }
};

static config &instance()
{
    static config c;
    return c;
}

static void *user(void *)
{
    assert(instance().size == 8);
    return nullptr;
}

int main()
{
    pthread_t a, b;
    pthread_create(&a, nullptr, user, nullptr);
    pthread_create(&b, nullptr, user, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    assert(constructed == 1);
}
