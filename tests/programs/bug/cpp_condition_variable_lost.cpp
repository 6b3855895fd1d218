// Waiting without a predicate: the notification may have come before.
#include <condition_variable>
#include <mutex>
#include <pthread.h>

static std::mutex m;
static std::condition_variable c;

static void *notifier(void *)
{
    c.notify_one();
    return nullptr;
}

int main()
{
    pthread_t t;
    pthread_create(&t, nullptr, notifier, nullptr);
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock); //~ BUG(deadlock)
    lock.unlock();
    pthread_join(t, nullptr);
}
