/* One thread asks whether all that was found had been looked for; another one takes something back
   that was found. The first holds the vector that it asks, not the one that it goes through: if
   that becomes shorter meanwhile, the iterator throws ConcurrentModificationException, which nobody
   catches. It has to be at an element, so all before must have been looked for; and the input of
   the second thread must be something that was found.
   P2, Table 2, VecRace: containsAll of the synchronised Vector of JDK 1.4. The race is on modCount.
   The paper has 312 states, a trace of 12 locations and 1 refinement; its program is not known
   beyond that. */
#include "collections.h"

#include <pthread.h>

extern "C" int __VERIFIER_nondet_int(void);

using collections::ArrayList;
using collections::Vector;

struct Search {
    Vector<int> wanted;
    Vector<int> found;
    bool complete;

    Search(ArrayList<int> &wanted, ArrayList<int> &found)
        : wanted(wanted), found(found), complete(false)
    {
    }
};

static void *check(void *arg)
{
    auto *search = static_cast<Search *>(arg);
    int first = __VERIFIER_nondet_int();
    if (search->found.contains(first))
        search->complete = search->wanted.containsAll(search->found);
    return nullptr;
}

static void *take_back(void *arg)
{
    auto *search = static_cast<Search *>(arg);
    int wrong = __VERIFIER_nondet_int();
    search->found.removeElement(wrong);
    return nullptr;
}

int main()
{
    ArrayList<int> wanted, found;
    for (int i = 1; i <= 3; i++)
        wanted.add(i);
    found.add(2);
    found.add(3);
    Search search(wanted, found);
    pthread_t checks, takes_back;
    pthread_create(&checks, nullptr, check, &search);
    pthread_create(&takes_back, nullptr, take_back, &search);
    pthread_join(checks, nullptr);
    pthread_join(takes_back, nullptr);
    return 0;
}
