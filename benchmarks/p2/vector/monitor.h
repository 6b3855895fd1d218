/* Monitors: a lock that a thread may take several times, and blocks and methods that hold it, as
   `synchronized` does in Java. */
#ifndef COLLECTIONS_MONITOR_H
#define COLLECTIONS_MONITOR_H

#include <pthread.h>

namespace collections {

class Monitor {
public:
    Monitor()
    {
        pthread_mutexattr_t recursive;
        pthread_mutexattr_init(&recursive);
        pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&mutex, &recursive);
        pthread_mutexattr_destroy(&recursive);
    }

    ~Monitor()
    {
        pthread_mutex_destroy(&mutex);
    }

    /* A lock is a place: whoever waits for it waits there. */
    Monitor(const Monitor &) = delete;
    Monitor &operator=(const Monitor &) = delete;

    pthread_mutex_t mutex;
};

/* Leaves a monitor at the end of its block, however the block ends. */
class Leave {
public:
    explicit Leave(Monitor &entered) : entered(entered)
    {
    }

    ~Leave()
    {
        pthread_mutex_unlock(&entered.mutex);
    }

    Leave(const Leave &) = delete;
    Leave &operator=(const Leave &) = delete;

private:
    Monitor &entered;
};

/* The rest of the block holds the monitor. A macro, for then the lock is taken at a line of the
   method that is synchronised, and that line is what a report shows. */
#define SYNCHRONIZED_ON(monitor)                                                                   \
    pthread_mutex_lock(&(monitor).mutex);                                                          \
    ::collections::Leave leave_at_the_end(monitor)

/* The rest of the method holds the monitor of the object. */
#define SYNCHRONIZED SYNCHRONIZED_ON(this->monitor)

} // namespace collections

#endif
