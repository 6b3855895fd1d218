/* A list in an array that grows, for one thread, or for several that take care themselves. */
#ifndef COLLECTIONS_ARRAY_LIST_H
#define COLLECTIONS_ARRAY_LIST_H

#include "abstract_list.h"

namespace collections {

template <class E> class ArrayList : public AbstractList<E> {
public:
    explicit ArrayList(int capacity) : data(capacity), count(0)
    {
    }

    ArrayList() : ArrayList(10)
    {
    }

    explicit ArrayList(Collection<E> &others) : ArrayList(others.size())
    {
        addAll(others);
    }

    /* Gives back room that is not used. */
    void trimToSize()
    {
        this->modCount++;
        if (count < data.length())
            data = resized(data, count);
    }

    /* Makes room for so many elements, if there is less: half as much again, or more if needed. */
    void ensureCapacity(int least)
    {
        this->modCount++;
        int room = data.length();
        if (least > room)
            data = resized(data, larger(room + room / 2 + 1, least));
    }

    int size() override
    {
        return count;
    }

    bool isEmpty() override
    {
        return count == 0;
    }

    bool contains(const E &element) override
    {
        return indexOf(element) >= 0;
    }

    int indexOf(const E &element) override
    {
        for (int i = 0; i < count; i++)
            if (Element<E>::equal(element, data[i]))
                return i;
        return -1;
    }

    int lastIndexOf(const E &element) override
    {
        for (int i = count - 1; i >= 0; i--)
            if (Element<E>::equal(element, data[i]))
                return i;
        return -1;
    }

    Array<E> toArray() override
    {
        return resized(data, count);
    }

    E get(int index) override
    {
        check(index, count - 1);
        return data[index];
    }

    E set(int index, const E &element) override
    {
        check(index, count - 1);
        E was = data[index];
        data[index] = element;
        return was;
    }

    bool add(const E &element) override
    {
        ensureCapacity(count + 1);
        data[count++] = element;
        return true;
    }

    void add(int index, const E &element) override
    {
        check(index, count);
        ensureCapacity(count + 1);
        copy_range(data, index, data, index + 1, count - index);
        data[index] = element;
        count++;
    }

    E removeAt(int index) override
    {
        check(index, count - 1);
        this->modCount++;
        E was = data[index];
        copy_range(data, index + 1, data, index, count - index - 1);
        data[--count] = E();
        return was;
    }

    bool remove(const E &element) override
    {
        int index = indexOf(element);
        if (index < 0)
            return false;
        removeAt(index);
        return true;
    }

    void clear() override
    {
        this->modCount++;
        fill(data, 0, count, E());
        count = 0;
    }

    bool addAll(Collection<E> &others) override
    {
        return addAll(count, others);
    }

    bool addAll(int index, Collection<E> &others) override
    {
        check(index, count);
        Array<E> added = others.toArray();
        ensureCapacity(count + added.length());
        copy_range(data, index, data, index + added.length(), count - index);
        copy_range(added, 0, data, index, added.length());
        count += added.length();
        return added.length() > 0;
    }

protected:
    void removeRange(int from, int to) override
    {
        this->modCount++;
        int behind = count - to, left = from + behind;
        copy_range(data, to, data, from, behind);
        fill(data, left, count, E());
        count = left;
    }

private:
    /* Elements from count on have the value of E{}. */
    Array<E> data;
    int count;

    void check(int index, int last) const
    {
        if (index < 0 || index > last)
            throw IndexOutOfBoundsException(index);
    }
};

} // namespace collections

#endif
