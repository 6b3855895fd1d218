/* A list from two methods, `get` and `size`; with `set`, one whose elements change; with `add` and
   `removeAt`, one whose length changes too. */
#ifndef COLLECTIONS_ABSTRACT_LIST_H
#define COLLECTIONS_ABSTRACT_LIST_H

#include "abstract_collection.h"

namespace collections {

template <class E> class AbstractListIterator;
template <class E> class SubList;

template <class E> class AbstractList : public AbstractCollection<E> {
public:
    using AbstractCollection<E>::addAll;

    virtual E get(int index) = 0;

    /* Puts another element at an index, and returns the one that was there. */
    virtual E set(int, const E &)
    {
        throw UnsupportedOperationException();
    }

    /* Inserts an element at an index. Those from there on move up. */
    virtual void add(int, const E &)
    {
        throw UnsupportedOperationException();
    }

    /* Removes the element at an index. Those behind it move down. */
    virtual E removeAt(int)
    {
        throw UnsupportedOperationException();
    }

    bool add(const E &element) override
    {
        this->add(this->size(), element);
        return true;
    }

    /* The first index of such an element; -1: there is none. */
    virtual int indexOf(const E &element)
    {
        auto i = this->listIterator(0);
        while (i->hasNext())
            if (Element<E>::equal(element, i->next()))
                return i->previousIndex();
        return -1;
    }

    /* The last index of such an element; -1: there is none. */
    virtual int lastIndexOf(const E &element)
    {
        auto i = this->listIterator(this->size());
        while (i->hasPrevious())
            if (Element<E>::equal(element, i->previous()))
                return i->nextIndex();
        return -1;
    }

    void clear() override
    {
        this->removeRange(0, this->size());
    }

    /* Inserts all elements of a collection at an index, in the order of its iterator. */
    virtual bool addAll(int index, Collection<E> &others)
    {
        bool changed = false;
        auto i = others.iterator();
        while (i->hasNext()) {
            this->add(index++, i->next());
            changed = true;
        }
        return changed;
    }

    std::unique_ptr<Iterator<E>> iterator() override
    {
        return std::make_unique<AbstractListIterator<E>>(*this, 0);
    }

    /* An iterator that starts before the element at an index; at the end, if that is the size. */
    virtual std::unique_ptr<ListIterator<E>> listIterator(int index)
    {
        if (index < 0 || index > this->size())
            throw IndexOutOfBoundsException(index);
        return std::make_unique<AbstractListIterator<E>>(*this, index);
    }

    /* The elements from one index up to another, as a list that shows and changes this one. When
       this list changes its length otherwise, that one is good for nothing any more. */
    virtual std::unique_ptr<AbstractList<E>> subList(int from, int to)
    {
        return std::make_unique<SubList<E>>(*this, from, to);
    }

    bool equals(Collection<E> &other) override
    {
        if (this == &other)
            return true;
        AbstractList<E> *list = other.asList();
        if (list == nullptr)
            return false;
        auto mine = this->listIterator(0), its = list->listIterator(0);
        while (mine->hasNext() && its->hasNext())
            if (!Element<E>::equal(mine->next(), its->next()))
                return false;
        return !(mine->hasNext() || its->hasNext());
    }

    int hashCode() override
    {
        int code = 1;
        auto i = this->iterator();
        while (i->hasNext())
            code = hash_step(code, Element<E>::hash(i->next()));
        return code;
    }

    AbstractList<E> *asList() override
    {
        return this;
    }

protected:
    /* How often the list has changed its length. An iterator that finds another number than it
       expects has been overtaken by a change, and gives up rather than go on as if nothing was. */
    int modCount = 0;

    virtual void removeRange(int from, int to)
    {
        auto i = this->listIterator(from);
        for (int k = from; k < to; k++) {
            i->next();
            i->remove();
        }
    }

    friend class AbstractListIterator<E>;
    friend class SubList<E>;
};

/* Goes through any list by index. */
template <class E> class AbstractListIterator : public ListIterator<E> {
public:
    AbstractListIterator(AbstractList<E> &list, int start)
        : list(list), cursor(start), last_returned(NONE), expected(list.modCount)
    {
    }

    bool hasNext() override
    {
        return cursor != list.size();
    }

    E next() override
    {
        check_for_comodification();
        try {
            E element = list.get(cursor);
            last_returned = cursor++;
            return element;
        } catch (const IndexOutOfBoundsException &) {
            /* Either this is the end, or the list has become shorter since it was asked. */
            check_for_comodification();
            throw NoSuchElementException();
        }
    }

    void remove() override
    {
        if (last_returned == NONE)
            throw IllegalStateException("nothing to remove");
        check_for_comodification();
        try {
            list.removeAt(last_returned);
            if (last_returned < cursor)
                cursor--;
            last_returned = NONE;
            expected = list.modCount;
        } catch (const IndexOutOfBoundsException &) {
            throw ConcurrentModificationException();
        }
    }

    bool hasPrevious() override
    {
        return cursor != 0;
    }

    E previous() override
    {
        check_for_comodification();
        try {
            int before = cursor - 1;
            E element = list.get(before);
            last_returned = cursor = before;
            return element;
        } catch (const IndexOutOfBoundsException &) {
            check_for_comodification();
            throw NoSuchElementException();
        }
    }

    int nextIndex() override
    {
        return cursor;
    }

    int previousIndex() override
    {
        return cursor - 1;
    }

    void set(const E &element) override
    {
        if (last_returned == NONE)
            throw IllegalStateException("nothing to replace");
        check_for_comodification();
        try {
            list.set(last_returned, element);
            expected = list.modCount;
        } catch (const IndexOutOfBoundsException &) {
            throw ConcurrentModificationException();
        }
    }

    void add(const E &element) override
    {
        check_for_comodification();
        try {
            list.add(cursor++, element);
            last_returned = NONE;
            expected = list.modCount;
        } catch (const IndexOutOfBoundsException &) {
            throw ConcurrentModificationException();
        }
    }

private:
    static const int NONE = -1;

    AbstractList<E> &list;
    /* The index of the element that `next` returns. */
    int cursor;
    /* The index of the element that was returned last, unless it was removed since. */
    int last_returned;
    int expected;

    void check_for_comodification()
    {
        if (list.modCount != expected) /* VecRace: containsAll reads here */
            throw ConcurrentModificationException();
    }
};

/* A range of another list. */
template <class E> class SubList : public AbstractList<E> {
public:
    using AbstractList<E>::add;

    SubList(AbstractList<E> &whole, int from, int to)
        : whole(whole), offset(from), length(to - from)
    {
        if (from < 0)
            throw IndexOutOfBoundsException(from);
        if (to > whole.size())
            throw IndexOutOfBoundsException(to);
        if (from > to)
            throw IllegalArgumentException("a range that ends before it starts");
        this->modCount = whole.modCount;
    }

    int size() override
    {
        check_for_comodification();
        return length;
    }

    E get(int index) override
    {
        check(index, length - 1);
        check_for_comodification();
        return whole.get(offset + index);
    }

    E set(int index, const E &element) override
    {
        check(index, length - 1);
        check_for_comodification();
        return whole.set(offset + index, element);
    }

    void add(int index, const E &element) override
    {
        check(index, length);
        check_for_comodification();
        whole.add(offset + index, element);
        has_grown_by(1);
    }

    E removeAt(int index) override
    {
        check(index, length - 1);
        check_for_comodification();
        E element = whole.removeAt(offset + index);
        has_grown_by(-1);
        return element;
    }

    bool addAll(Collection<E> &others) override
    {
        return addAll(length, others);
    }

    bool addAll(int index, Collection<E> &others) override
    {
        check(index, length);
        check_for_comodification();
        int before = whole.size();
        bool changed = whole.addAll(offset + index, others);
        has_grown_by(whole.size() - before);
        return changed;
    }

protected:
    void removeRange(int from, int to) override
    {
        check_for_comodification();
        whole.removeRange(offset + from, offset + to);
        has_grown_by(from - to);
    }

private:
    AbstractList<E> &whole;
    int offset;
    int length;

    void check(int index, int last) const
    {
        if (index < 0 || index > last)
            throw IndexOutOfBoundsException(index);
    }

    void check_for_comodification()
    {
        if (whole.modCount != this->modCount)
            throw ConcurrentModificationException();
    }

    void has_grown_by(int elements)
    {
        length += elements;
        this->modCount = whole.modCount;
    }
};

} // namespace collections

#endif
