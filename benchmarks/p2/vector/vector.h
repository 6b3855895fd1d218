/* A list in an array that grows, synchronised: every public method holds the vector's own monitor
   while it runs. A method that is given another collection calls that one's methods meanwhile.
   Iterators are those of all lists; each of their steps is synchronised, two together are not. */
#ifndef COLLECTIONS_VECTOR_H
#define COLLECTIONS_VECTOR_H

#include "abstract_list.h"
#include "monitor.h"
#include "synchronized.h"

namespace collections {

template <class E> class VectorEnumeration;

template <class E> class Vector : public AbstractList<E> {
public:
    using AbstractList<E>::listIterator;

    /* An empty vector with room for so many elements. When it is full, it gets room for `increment`
       more; twice the room, if that is zero. */
    explicit Vector(int capacity, int increment = 0)
        : elementData(capacity), elementCount(0), capacityIncrement(increment)
    {
    }

    Vector() : Vector(10)
    {
    }

    /* The elements of a collection, and room for a tenth more. */
    explicit Vector(Collection<E> &others) : Vector(others.toArray())
    {
    }

    /* Copies all elements to the start of an array, which has to be long enough. */
    virtual void copyInto(Array<E> &array)
    {
        SYNCHRONIZED;
        copy_range(elementData, 0, array, 0, elementCount);
    }

    /* Gives back room that is not used. */
    virtual void trimToSize()
    {
        SYNCHRONIZED;
        this->modCount++;
        if (elementCount < elementData.length())
            elementData = resized(elementData, elementCount);
    }

    /* Makes room for so many elements, if there is less. */
    virtual void ensureCapacity(int least)
    {
        SYNCHRONIZED;
        this->modCount++;
        grow(least);
    }

    /* Drops elements from the end, or adds some that have the value of E{}. */
    virtual void setSize(int size)
    {
        SYNCHRONIZED;
        this->modCount++;
        if (size < 0)
            throw IndexOutOfBoundsException(size);
        if (size > elementCount)
            grow(size);
        else
            fill(elementData, size, elementCount, E());
        elementCount = size;
    }

    virtual int capacity()
    {
        SYNCHRONIZED;
        return elementData.length();
    }

    int size() override
    {
        SYNCHRONIZED; /* VecDeadlock1: equals waits here */
        return elementCount;
    }

    bool isEmpty() override
    {
        SYNCHRONIZED;
        return elementCount == 0;
    }

    /* The elements, as long as the vector is not changed meanwhile; otherwise any of them. */
    virtual std::unique_ptr<Enumeration<E>> elements()
    {
        return std::make_unique<VectorEnumeration<E>>(*this);
    }

    bool contains(const E &element) override
    {
        return indexOf(element, 0) >= 0;
    }

    int indexOf(const E &element) override
    {
        return indexOf(element, 0);
    }

    /* The first index of such an element, from one index on; -1: there is none. */
    virtual int indexOf(const E &element, int from)
    {
        SYNCHRONIZED; /* VecDeadlock1: removeAll waits here */
        for (int i = from; i < elementCount; i++)
            if (Element<E>::equal(element, elementData[i]))
                return i;
        return -1;
    }

    int lastIndexOf(const E &element) override
    {
        SYNCHRONIZED;
        return lastIndexOf(element, elementCount - 1);
    }

    /* The last index of such an element, from one index down; -1: there is none. */
    virtual int lastIndexOf(const E &element, int from)
    {
        SYNCHRONIZED;
        if (from >= elementCount)
            throw IndexOutOfBoundsException(from);
        for (int i = from; i >= 0; i--)
            if (Element<E>::equal(element, elementData[i]))
                return i;
        return -1;
    }

    virtual E elementAt(int index)
    {
        SYNCHRONIZED;
        check(index, elementCount - 1);
        return elementData[index];
    }

    virtual E firstElement()
    {
        SYNCHRONIZED;
        if (elementCount == 0)
            throw NoSuchElementException();
        return elementData[0];
    }

    virtual E lastElement()
    {
        SYNCHRONIZED;
        if (elementCount == 0)
            throw NoSuchElementException();
        return elementData[elementCount - 1];
    }

    virtual void setElementAt(const E &element, int index)
    {
        SYNCHRONIZED;
        check(index, elementCount - 1);
        elementData[index] = element;
    }

    virtual void removeElementAt(int index)
    {
        SYNCHRONIZED;
        this->modCount++;
        check(index, elementCount - 1);
        copy_range(elementData, index + 1, elementData, index, elementCount - index - 1);
        elementCount--;
        elementData[elementCount] = E();
    }

    virtual void insertElementAt(const E &element, int index)
    {
        SYNCHRONIZED;
        this->modCount++;
        check(index, elementCount);
        grow(elementCount + 1);
        copy_range(elementData, index, elementData, index + 1, elementCount - index);
        elementData[index] = element;
        elementCount++;
    }

    virtual void addElement(const E &element)
    {
        SYNCHRONIZED;
        this->modCount++;
        grow(elementCount + 1);
        elementData[elementCount++] = element;
    }

    /* Removes the first such element, and says whether there was one. */
    virtual bool removeElement(const E &element)
    {
        SYNCHRONIZED;
        this->modCount++; /* VecRace: removeElement writes here */
        int index = indexOf(element, 0);
        if (index < 0)
            return false;
        removeElementAt(index);
        return true;
    }

    virtual void removeAllElements()
    {
        SYNCHRONIZED;
        this->modCount++;
        fill(elementData, 0, elementCount, E());
        elementCount = 0;
    }

    virtual std::unique_ptr<Vector<E>> clone()
    {
        SYNCHRONIZED;
        auto copy = std::make_unique<Vector<E>>(elementData.length(), capacityIncrement);
        copy_range(elementData, 0, copy->elementData, 0, elementCount);
        copy->elementCount = elementCount;
        return copy;
    }

    Array<E> toArray() override
    {
        SYNCHRONIZED; /* VecDeadlock0: both threads wait here */
        return resized(elementData, elementCount);
    }

    E get(int index) override
    {
        SYNCHRONIZED;
        check(index, elementCount - 1);
        return elementData[index];
    }

    E set(int index, const E &element) override
    {
        SYNCHRONIZED;
        check(index, elementCount - 1);
        E was = elementData[index];
        elementData[index] = element;
        return was;
    }

    bool add(const E &element) override
    {
        SYNCHRONIZED;
        this->modCount++;
        grow(elementCount + 1);
        elementData[elementCount++] = element;
        return true;
    }

    void add(int index, const E &element) override
    {
        insertElementAt(element, index);
    }

    bool remove(const E &element) override
    {
        return removeElement(element);
    }

    E removeAt(int index) override
    {
        SYNCHRONIZED;
        check(index, elementCount - 1);
        E was = elementData[index];
        removeElementAt(index);
        return was;
    }

    void clear() override
    {
        removeAllElements();
    }

    bool containsAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return AbstractList<E>::containsAll(others);
    }

    bool addAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        this->modCount++;
        Array<E> added = others.toArray();
        grow(elementCount + added.length());
        copy_range(added, 0, elementData, elementCount, added.length());
        elementCount += added.length();
        return added.length() > 0;
    }

    bool addAll(int index, Collection<E> &others) override
    {
        SYNCHRONIZED;
        this->modCount++;
        check(index, elementCount);
        Array<E> added = others.toArray();
        grow(elementCount + added.length());
        copy_range(elementData, index, elementData, index + added.length(), elementCount - index);
        copy_range(added, 0, elementData, index, added.length());
        elementCount += added.length();
        return added.length() > 0;
    }

    bool removeAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return AbstractList<E>::removeAll(others);
    }

    bool retainAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return AbstractList<E>::retainAll(others);
    }

    bool equals(Collection<E> &other) override
    {
        SYNCHRONIZED;
        return AbstractList<E>::equals(other);
    }

    int hashCode() override
    {
        SYNCHRONIZED;
        return AbstractList<E>::hashCode();
    }

    std::string toString() override
    {
        SYNCHRONIZED;
        return AbstractList<E>::toString();
    }

    /* It uses this vector's monitor. */
    std::unique_ptr<AbstractList<E>> subList(int from, int to) override
    {
        SYNCHRONIZED;
        return std::make_unique<SynchronizedList<E>>(AbstractList<E>::subList(from, to), monitor);
    }

protected:
    /* Elements from elementCount on have the value of E{}. */
    Array<E> elementData;
    int elementCount;
    int capacityIncrement;
    Monitor monitor;

    /* Not synchronised: its callers are. */
    void removeRange(int from, int to) override
    {
        this->modCount++;
        int behind = elementCount - to, left = from + behind;
        copy_range(elementData, to, elementData, from, behind);
        fill(elementData, left, elementCount, E());
        elementCount = left;
    }

    friend class VectorEnumeration<E>;

private:
    explicit Vector(const Array<E> &others)
        : elementData(others.length() + others.length() / 10), elementCount(others.length()),
          capacityIncrement(0)
    {
        copy_range(others, 0, elementData, 0, elementCount);
    }

    void check(int index, int last) const
    {
        if (index < 0 || index > last)
            throw IndexOutOfBoundsException(index);
    }

    void grow(int least)
    {
        int room = elementData.length();
        if (least <= room)
            return;
        int more = capacityIncrement > 0 ? capacityIncrement : room;
        elementData = resized(elementData, larger(room + more, least));
    }
};

template <class E> class VectorEnumeration : public Enumeration<E> {
public:
    explicit VectorEnumeration(Vector<E> &vector) : vector(vector), next(0)
    {
    }

    bool hasMoreElements() override
    {
        return next < vector.elementCount;
    }

    E nextElement() override
    {
        SYNCHRONIZED_ON(vector.monitor);
        if (next >= vector.elementCount)
            throw NoSuchElementException();
        return vector.elementData[next++];
    }

private:
    Vector<E> &vector;
    int next;
};

/* A vector of which one sees the end. */
template <class E> class Stack : public Vector<E> {
public:
    virtual E push(const E &element)
    {
        this->addElement(element);
        return element;
    }

    virtual E pop()
    {
        SYNCHRONIZED;
        E top = peek();
        this->removeElementAt(this->size() - 1);
        return top;
    }

    virtual E peek()
    {
        SYNCHRONIZED;
        int length = this->size();
        if (length == 0)
            throw EmptyStackException();
        return this->elementAt(length - 1);
    }

    virtual bool empty()
    {
        return this->size() == 0;
    }

    /* How far from the top such an element is, which itself is 1; -1: there is none. */
    virtual int search(const E &element)
    {
        SYNCHRONIZED;
        int index = this->lastIndexOf(element);
        return index < 0 ? -1 : this->size() - index;
    }
};

} // namespace collections

#endif
