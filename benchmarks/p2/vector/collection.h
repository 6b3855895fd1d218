/* What all collections can do. Nothing is const, as nothing is in Java: whoever reads a collection
   may have to lock it, and an iterator that only reads is also one that removes. */
#ifndef COLLECTIONS_COLLECTION_H
#define COLLECTIONS_COLLECTION_H

#include "array.h"
#include "iterator.h"

#include <memory>
#include <string>

namespace collections {

template <class E> class AbstractList;
template <class E> class AbstractSet;

template <class E> class Collection {
public:
    virtual ~Collection()
    {
    }

    virtual int size() = 0;

    virtual bool isEmpty() = 0;

    virtual bool contains(const E &element) = 0;

    virtual std::unique_ptr<Iterator<E>> iterator() = 0;

    /* The elements, in the order of the iterator. The array is the caller's. */
    virtual Array<E> toArray() = 0;

    /* Whether the collection changed: a set has an element only once. */
    virtual bool add(const E &element) = 0;

    /* Removes one element that is equal to this one, and says whether there was one. */
    virtual bool remove(const E &element) = 0;

    virtual bool containsAll(Collection<E> &others) = 0;

    /* Whether the collection changed; so with the next two. */
    virtual bool addAll(Collection<E> &others) = 0;

    /* Removes all elements that the other collection contains. */
    virtual bool removeAll(Collection<E> &others) = 0;

    /* Removes all elements that the other collection does not contain. */
    virtual bool retainAll(Collection<E> &others) = 0;

    virtual void clear() = 0;

    /* Lists are equal to lists, sets to sets; other collections to themselves. */
    virtual bool equals(Collection<E> &other) = 0;

    /* Equal collections have equal codes. */
    virtual int hashCode() = 0;

    virtual std::string toString() = 0;

    /* The collection, if it is a list. */
    virtual AbstractList<E> *asList()
    {
        return nullptr;
    }

    /* The collection, if it is a set. */
    virtual AbstractSet<E> *asSet()
    {
        return nullptr;
    }
};

} // namespace collections

#endif
