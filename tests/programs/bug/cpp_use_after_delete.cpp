// A thread reads a member of an object that may have been deleted.
#include <pthread.h>

struct task {
    int runs = 0;
    virtual void run() { runs = 1; }
    virtual ~task() {}
};

static void *worker(void *arg)
{
    int seen = static_cast<task *>(arg)->runs; //~ BUG(memory)
    return (void *)(long)seen;
}

int main()
{
    pthread_t t;
    task *work = new task;
    pthread_create(&t, nullptr, worker, work);
    delete work;
    pthread_join(t, nullptr);
}
