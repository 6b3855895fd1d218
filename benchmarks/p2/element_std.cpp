/* The program of element.cpp with mutexes and threads of the C++ library: each operation on a lock
   is three calls deep, and a thread starts far from `run`.
   P2, Figure 2. */
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

extern "C" int __VERIFIER_nondet_int(void);

class Element {
public:
    std::mutex mutex;
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
    void run(Element &elem)
    {
        elem.mutex.lock();
        check(elem);
        elem.mutex.unlock();
    }

    void check(Element &elem)
    {
        if (elem.e > 9)
            throw std::exception(); /* the target */
    }
};

class B {
public:
    void run(Element &elem)
    {
        int x = __VERIFIER_nondet_int();
        if (x > 18) {
            elem.mutex.lock();
            elem.reset();
            elem.mutex.unlock();
        }
    }
};

int main()
{
    Element elem;
    A a;
    B b;
    std::thread checks(&A::run, &a, std::ref(elem));
    std::thread resets(&B::run, &b, std::ref(elem));
    checks.join();
    resets.join();
    return 0;
}
