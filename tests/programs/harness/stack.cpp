// sleave: --input 'Stack s' --run 's.pop()' --run 's.pop()' --before '__VERIFIER_assume(s.top && !s.top->next)'
// expect: bug (memory)
// An object of a class by value, with members that are private and a mutex of the library.
#include <mutex>

extern "C" void __VERIFIER_assume(int);

class Stack {
    struct Node {
        int value;
        Node *next;
    };

    std::mutex mutex;
    Node *top = nullptr;

public:
    int pop()
    {
        Node *n = top;
        if (n == nullptr)
            return -1;
        std::lock_guard<std::mutex> guard(mutex);
        top = n->next;
        int value = n->value;
        delete n;
        return value;
    }
};
