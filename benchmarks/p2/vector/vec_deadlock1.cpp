/* One thread takes tasks that are done off the list of open ones; another one opens a task again,
   if that is done, and compares both lists. The first holds `open` and asks whether `done` contains
   a task; the second holds `done` and goes through `open`. It needs an open task, and only the
   second thread opens one, if its input says so.
   P2, Table 2, VecDeadlock1: removeAll and equals of the synchronised Vector of JDK 1.4, which they
   inherit and only synchronise. The paper has 294 states, a trace of 15 locations and 2
   refinements; its program is not known beyond that. */
#include "collections.h"

#include <pthread.h>

extern "C" int __VERIFIER_nondet_int(void);

using collections::Collection;
using collections::ArrayList;
using collections::Vector;

struct Tasks {
    Vector<int> open;
    Vector<int> done;
    bool finished;

    explicit Tasks(Collection<int> &done) : open(4), done(done), finished(false)
    {
    }
};

static void *clean(void *arg)
{
    auto *tasks = static_cast<Tasks *>(arg);
    if (!tasks->open.isEmpty())
        tasks->open.removeAll(tasks->done);
    return nullptr;
}

static void *repeat(void *arg)
{
    auto *tasks = static_cast<Tasks *>(arg);
    int task = __VERIFIER_nondet_int();
    if (tasks->done.contains(task))
        tasks->open.add(task);
    tasks->finished = tasks->done.equals(tasks->open);
    return nullptr;
}

int main()
{
    ArrayList<int> done;
    done.add(1);
    done.add(2);
    Tasks tasks(done);
    pthread_t cleans, repeats;
    pthread_create(&cleans, nullptr, clean, &tasks);
    pthread_create(&repeats, nullptr, repeat, &tasks);
    pthread_join(cleans, nullptr);
    pthread_join(repeats, nullptr);
    return 0;
}
