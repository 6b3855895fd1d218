/* Views of collections: some hold a monitor in every method, others have only the methods that
   change nothing. A view may own what it shows, for a collection that nobody else knows. */
#ifndef COLLECTIONS_SYNCHRONIZED_H
#define COLLECTIONS_SYNCHRONIZED_H

#include "abstract_list.h"
#include "monitor.h"

namespace collections {

/* Every method holds the monitor. Iterators do not: their user has to. */
template <class E> class SynchronizedCollection : public Collection<E> {
public:
    explicit SynchronizedCollection(Collection<E> &shown) : shown(shown), monitor(own)
    {
    }

    /* With the monitor of another object, which has to outlive this one. */
    SynchronizedCollection(Collection<E> &shown, Monitor &monitor) : shown(shown), monitor(monitor)
    {
    }

    int size() override
    {
        SYNCHRONIZED;
        return shown.size();
    }

    bool isEmpty() override
    {
        SYNCHRONIZED;
        return shown.isEmpty();
    }

    bool contains(const E &element) override
    {
        SYNCHRONIZED;
        return shown.contains(element);
    }

    std::unique_ptr<Iterator<E>> iterator() override
    {
        return shown.iterator();
    }

    Array<E> toArray() override
    {
        SYNCHRONIZED;
        return shown.toArray();
    }

    bool add(const E &element) override
    {
        SYNCHRONIZED;
        return shown.add(element);
    }

    bool remove(const E &element) override
    {
        SYNCHRONIZED;
        return shown.remove(element);
    }

    bool containsAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.containsAll(others);
    }

    bool addAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.addAll(others);
    }

    bool removeAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.removeAll(others);
    }

    bool retainAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.retainAll(others);
    }

    void clear() override
    {
        SYNCHRONIZED;
        shown.clear();
    }

    bool equals(Collection<E> &other) override
    {
        SYNCHRONIZED;
        return shown.equals(other);
    }

    int hashCode() override
    {
        SYNCHRONIZED;
        return shown.hashCode();
    }

    std::string toString() override
    {
        SYNCHRONIZED;
        return shown.toString();
    }

private:
    Collection<E> &shown;
    Monitor own;
    Monitor &monitor;
};

/* The same of a list. */
template <class E> class SynchronizedList : public AbstractList<E> {
public:
    explicit SynchronizedList(AbstractList<E> &shown) : shown(shown), monitor(own)
    {
    }

    SynchronizedList(AbstractList<E> &shown, Monitor &monitor) : shown(shown), monitor(monitor)
    {
    }

    /* Owns what it shows. */
    SynchronizedList(std::unique_ptr<AbstractList<E>> only, Monitor &monitor)
        : owned(std::move(only)), shown(*owned), monitor(monitor)
    {
    }

    int size() override
    {
        SYNCHRONIZED;
        return shown.size();
    }

    bool isEmpty() override
    {
        SYNCHRONIZED;
        return shown.isEmpty();
    }

    bool contains(const E &element) override
    {
        SYNCHRONIZED;
        return shown.contains(element);
    }

    std::unique_ptr<Iterator<E>> iterator() override
    {
        return shown.iterator();
    }

    std::unique_ptr<ListIterator<E>> listIterator(int index) override
    {
        return shown.listIterator(index);
    }

    Array<E> toArray() override
    {
        SYNCHRONIZED;
        return shown.toArray();
    }

    E get(int index) override
    {
        SYNCHRONIZED;
        return shown.get(index);
    }

    E set(int index, const E &element) override
    {
        SYNCHRONIZED;
        return shown.set(index, element);
    }

    bool add(const E &element) override
    {
        SYNCHRONIZED;
        return shown.add(element);
    }

    void add(int index, const E &element) override
    {
        SYNCHRONIZED;
        shown.add(index, element);
    }

    bool remove(const E &element) override
    {
        SYNCHRONIZED;
        return shown.remove(element);
    }

    E removeAt(int index) override
    {
        SYNCHRONIZED;
        return shown.removeAt(index);
    }

    int indexOf(const E &element) override
    {
        SYNCHRONIZED;
        return shown.indexOf(element);
    }

    int lastIndexOf(const E &element) override
    {
        SYNCHRONIZED;
        return shown.lastIndexOf(element);
    }

    bool containsAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.containsAll(others);
    }

    bool addAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.addAll(others);
    }

    bool addAll(int index, Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.addAll(index, others);
    }

    bool removeAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.removeAll(others);
    }

    bool retainAll(Collection<E> &others) override
    {
        SYNCHRONIZED;
        return shown.retainAll(others);
    }

    void clear() override
    {
        SYNCHRONIZED;
        shown.clear();
    }

    std::unique_ptr<AbstractList<E>> subList(int from, int to) override
    {
        SYNCHRONIZED;
        return std::make_unique<SynchronizedList<E>>(shown.subList(from, to), monitor);
    }

    bool equals(Collection<E> &other) override
    {
        SYNCHRONIZED;
        return shown.equals(other);
    }

    int hashCode() override
    {
        SYNCHRONIZED;
        return shown.hashCode();
    }

    std::string toString() override
    {
        SYNCHRONIZED;
        return shown.toString();
    }

private:
    std::unique_ptr<AbstractList<E>> owned;
    AbstractList<E> &shown;
    Monitor own;
    Monitor &monitor;
};

/* An iterator that only goes forward. */
template <class E> class UnmodifiableIterator : public Iterator<E> {
public:
    explicit UnmodifiableIterator(std::unique_ptr<Iterator<E>> shown) : shown(std::move(shown))
    {
    }

    bool hasNext() override
    {
        return shown->hasNext();
    }

    E next() override
    {
        return shown->next();
    }

    void remove() override
    {
        throw UnsupportedOperationException();
    }

private:
    std::unique_ptr<Iterator<E>> shown;
};

/* A collection that cannot be changed through this view of it. */
template <class E> class UnmodifiableCollection : public Collection<E> {
public:
    explicit UnmodifiableCollection(Collection<E> &shown) : shown(shown)
    {
    }

    int size() override
    {
        return shown.size();
    }

    bool isEmpty() override
    {
        return shown.isEmpty();
    }

    bool contains(const E &element) override
    {
        return shown.contains(element);
    }

    std::unique_ptr<Iterator<E>> iterator() override
    {
        return std::make_unique<UnmodifiableIterator<E>>(shown.iterator());
    }

    Array<E> toArray() override
    {
        return shown.toArray();
    }

    bool add(const E &) override
    {
        throw UnsupportedOperationException();
    }

    bool remove(const E &) override
    {
        throw UnsupportedOperationException();
    }

    bool containsAll(Collection<E> &others) override
    {
        return shown.containsAll(others);
    }

    bool addAll(Collection<E> &) override
    {
        throw UnsupportedOperationException();
    }

    bool removeAll(Collection<E> &) override
    {
        throw UnsupportedOperationException();
    }

    bool retainAll(Collection<E> &) override
    {
        throw UnsupportedOperationException();
    }

    void clear() override
    {
        throw UnsupportedOperationException();
    }

    bool equals(Collection<E> &other) override
    {
        return shown.equals(other);
    }

    int hashCode() override
    {
        return shown.hashCode();
    }

    std::string toString() override
    {
        return shown.toString();
    }

private:
    Collection<E> &shown;
};

/* The same of a list. What AbstractList makes of `get` and `size` cannot change it either. */
template <class E> class UnmodifiableList : public AbstractList<E> {
public:
    explicit UnmodifiableList(AbstractList<E> &shown) : shown(shown)
    {
    }

    int size() override
    {
        return shown.size();
    }

    bool contains(const E &element) override
    {
        return shown.contains(element);
    }

    E get(int index) override
    {
        return shown.get(index);
    }

    int indexOf(const E &element) override
    {
        return shown.indexOf(element);
    }

    int lastIndexOf(const E &element) override
    {
        return shown.lastIndexOf(element);
    }

    Array<E> toArray() override
    {
        return shown.toArray();
    }

    bool equals(Collection<E> &other) override
    {
        return shown.equals(other);
    }

    int hashCode() override
    {
        return shown.hashCode();
    }

    std::string toString() override
    {
        return shown.toString();
    }

private:
    AbstractList<E> &shown;
};

} // namespace collections

#endif
