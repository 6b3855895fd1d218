// sleave: --run 'notify(s)' --run 'detach(s)'
// Observers of a subject in a list. The list is locked while an observer is detached and deleted,
// and while the next one to notify is looked for; not while that is notified. An observer that is
// paused is left out.
// Shape: s -> {first -> A {paused = false}}
// Schedule: A is detached after it was found and before it is notified.
// expect: bug (memory): used when it was deleted
#include <pthread.h>

struct Observer {
    bool paused;
    int notifications;
    Observer *next;
};

struct Subject {
    pthread_mutex_t lock;
    Observer *first;
};

class Guard {
public:
    explicit Guard(pthread_mutex_t &mutex) : mutex(mutex)
    {
        pthread_mutex_lock(&mutex);
    }

    ~Guard()
    {
        pthread_mutex_unlock(&mutex);
    }

private:
    pthread_mutex_t &mutex;
};

static Observer *find(Subject &subject)
{
    Guard guard(subject.lock);
    Observer *observer = subject.first;
    return observer != nullptr && !observer->paused ? observer : nullptr;
}

void notify(Subject *subject)
{
    if (subject == nullptr)
        return;
    Observer *observer = find(*subject);
    if (observer != nullptr)
        observer->notifications = 1; //~ BUG(memory)
}

void detach(Subject *subject)
{
    if (subject == nullptr)
        return;
    Guard guard(subject->lock);
    Observer *observer = subject->first;
    if (observer != nullptr) {
        subject->first = observer->next;
        delete observer;
    }
}
