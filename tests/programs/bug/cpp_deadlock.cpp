// Two locks taken in opposite orders by a scoped guard; both threads are stuck in its constructor.
#include <pthread.h>
#include <thread>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

struct guard {
    pthread_mutex_t &m;
    explicit guard(pthread_mutex_t &mutex) : m(mutex) { pthread_mutex_lock(&m); } //~ BUG(deadlock)
    ~guard() { pthread_mutex_unlock(&m); }
};

int main()
{
    std::thread t([] {
        guard first(a);
        guard second(b);
    });
    {
        guard first(b);
        guard second(a);
    }
    t.join();
}
