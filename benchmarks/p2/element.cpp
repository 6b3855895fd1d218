/* A thread checks an element under its lock and throws if its value is too large; another gives it
   such a value, if the input says so. It throws if B comes first and x is greater than 18.
   P2, Figure 2, statement by statement: (a) is A, (b) is B, (c) is Element. Threads start in `run`,
   and a lock is one call, so that the locations of the figure are those of the program.
   element_std.cpp is the same with the library of C++. */
#include <exception>
#include <pthread.h>

extern "C" int __VERIFIER_nondet_int(void);

class Element {
public:
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int e;

    Element()
    {
        e = 1;
    }

    void reset()
    {
        e = 11;
    }
};

class A {
public:
    static void *run(void *arg)
    {
        Element *elem = static_cast<Element *>(arg);
        pthread_mutex_lock(&elem->lock);
        check(elem);
        pthread_mutex_unlock(&elem->lock);
        return nullptr;
    }

    static void check(Element *elem)
    {
        if (elem->e > 9)
            throw std::exception(); /* the target */
    }
};

class B {
public:
    static void *run(void *arg)
    {
        Element *elem = static_cast<Element *>(arg);
        int x = __VERIFIER_nondet_int();
        if (x > 18) {
            pthread_mutex_lock(&elem->lock);
            elem->reset();
            pthread_mutex_unlock(&elem->lock);
        }
        return nullptr;
    }
};

int main()
{
    Element elem;
    pthread_t a, b;
    pthread_create(&a, nullptr, A::run, &elem);
    pthread_create(&b, nullptr, B::run, &elem);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    return 0;
}
