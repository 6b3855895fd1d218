/* What the collections throw. The names are those of Java, and so is the tree they form. */
#ifndef COLLECTIONS_EXCEPTIONS_H
#define COLLECTIONS_EXCEPTIONS_H

#include <exception>

namespace collections {

class RuntimeException : public std::exception {
public:
    explicit RuntimeException(const char *message) : message(message)
    {
    }

    const char *what() const noexcept override
    {
        return message;
    }

private:
    /* Always a literal: an exception owns nothing. */
    const char *message;
};

/* An index that is negative or too large, for an array or a list. */
class IndexOutOfBoundsException : public RuntimeException {
public:
    explicit IndexOutOfBoundsException(int index)
        : RuntimeException("index out of bounds"), index(index)
    {
    }

    int index;
};

/* An argument that makes no sense whatever the state is: a negative capacity, a range from 3 to 1.
   */
class IllegalArgumentException : public RuntimeException {
public:
    explicit IllegalArgumentException(const char *message) : RuntimeException(message)
    {
    }
};

/* A method that cannot be called now: `remove` of an iterator before `next`. */
class IllegalStateException : public RuntimeException {
public:
    explicit IllegalStateException(const char *message) : RuntimeException(message)
    {
    }
};

/* Nothing is left, of an iteration or of a collection whose first element is asked for. */
class NoSuchElementException : public RuntimeException {
public:
    NoSuchElementException() : RuntimeException("no such element")
    {
    }
};

/* A method that this kind of collection does not have. */
class UnsupportedOperationException : public RuntimeException {
public:
    UnsupportedOperationException() : RuntimeException("unsupported operation")
    {
    }
};

/* A list changed its structure while it was iterated over, other than through the iterator. */
class ConcurrentModificationException : public RuntimeException {
public:
    ConcurrentModificationException() : RuntimeException("concurrent modification")
    {
    }
};

/* The top of a stack that has none. */
class EmptyStackException : public RuntimeException {
public:
    EmptyStackException() : RuntimeException("empty stack")
    {
    }
};

} // namespace collections

#endif
