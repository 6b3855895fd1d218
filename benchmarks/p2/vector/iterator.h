/* Going through a collection. */
#ifndef COLLECTIONS_ITERATOR_H
#define COLLECTIONS_ITERATOR_H

namespace collections {

/* The elder way, which changes nothing and notices nothing. */
template <class E> class Enumeration {
public:
    virtual ~Enumeration()
    {
    }

    virtual bool hasMoreElements() = 0;

    /* Throws NoSuchElementException at the end. */
    virtual E nextElement() = 0;
};

template <class E> class Iterator {
public:
    virtual ~Iterator()
    {
    }

    virtual bool hasNext() = 0;

    /* Throws NoSuchElementException at the end. */
    virtual E next() = 0;

    /* Removes the element that `next` returned last; once for each call of it. */
    virtual void remove() = 0;
};

/* An iterator over a list. It stands between two elements and goes both ways. */
template <class E> class ListIterator : public Iterator<E> {
public:
    virtual bool hasPrevious() = 0;

    /* Throws NoSuchElementException at the start. */
    virtual E previous() = 0;

    /* The index of the element that `next` would return; the list's size at its end. */
    virtual int nextIndex() = 0;

    /* The index of the element that `previous` would return; -1 at the start. */
    virtual int previousIndex() = 0;

    /* Puts another element where the one is that was returned last. */
    virtual void set(const E &element) = 0;

    /* Inserts an element before the one that `next` would return, and goes behind it. */
    virtual void add(const E &element) = 0;
};

} // namespace collections

#endif
