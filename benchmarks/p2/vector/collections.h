/* What can be done with any list or collection, and the header that includes all others. */
#ifndef COLLECTIONS_COLLECTIONS_H
#define COLLECTIONS_COLLECTIONS_H

#include "array_list.h"
#include "comparator.h"
#include "hash_set.h"
#include "linked_list.h"
#include "synchronized.h"
#include "vector.h"

namespace collections {

/* The algorithms, as members of one class, so that all of them exist for a type of elements as soon
   as the class is instantiated for it. None locks anything. */
template <class E> class Collections {
public:
    /* The elements are sorted in an array, and put back. */
    static void sort(AbstractList<E> &list, const Comparator<E> &order)
    {
        Array<E> elements = list.toArray();
        collections::sort(elements, order);
        auto i = list.listIterator(0);
        for (int k = 0; k < elements.length(); k++) {
            i->next();
            i->set(elements[k]);
        }
    }

    static void sort(AbstractList<E> &list)
    {
        NaturalOrder<E> order;
        sort(list, order);
    }

    static bool isSorted(AbstractList<E> &list, const Comparator<E> &order)
    {
        auto i = list.listIterator(0);
        if (!i->hasNext())
            return true;
        E last = i->next();
        while (i->hasNext()) {
            E element = i->next();
            if (order.compare(last, element) > 0)
                return false;
            last = element;
        }
        return true;
    }

    /* Where a key is in a sorted list; or -(insertion point) - 1, if it is nowhere. */
    static int binarySearch(AbstractList<E> &list, const E &key, const Comparator<E> &order)
    {
        int low = 0, high = list.size() - 1;
        while (low <= high) {
            int middle = low + (high - low) / 2;
            int compared = order.compare(list.get(middle), key);
            if (compared < 0)
                low = middle + 1;
            else if (compared > 0)
                high = middle - 1;
            else
                return middle;
        }
        return -(low + 1);
    }

    /* Inserts an element behind all that are not larger, into a sorted list. */
    static void insertSorted(AbstractList<E> &list, const E &element, const Comparator<E> &order)
    {
        int index = binarySearch(list, element, order);
        if (index < 0)
            index = -(index + 1);
        while (index < list.size() && order.compare(list.get(index), element) <= 0)
            index++;
        list.add(index, element);
    }

    static void swap(AbstractList<E> &list, int i, int j)
    {
        list.set(i, list.set(j, list.get(i)));
    }

    static void reverse(AbstractList<E> &list)
    {
        int size = list.size();
        if (size < 2)
            return;
        auto forth = list.listIterator(0), back = list.listIterator(size);
        for (int k = 0; k < size / 2; k++) {
            E front = forth->next();
            forth->set(back->previous());
            back->set(front);
        }
    }

    /* In an order that depends on the seed alone (a linear congruential generator; the high bits).
       */
    static void shuffle(AbstractList<E> &list, unsigned seed)
    {
        for (int i = list.size(); i > 1; i--) {
            seed = 1664525u * seed + 1013904223u;
            swap(list, i - 1, static_cast<int>((seed >> 8) % static_cast<unsigned>(i)));
        }
    }

    /* Moves every element `distance` places up; those at the end come to the start. */
    static void rotate(AbstractList<E> &list, int distance)
    {
        int size = list.size();
        if (size == 0)
            return;
        distance = (distance % size + size) % size;
        if (distance == 0)
            return;
        Array<E> elements = list.toArray();
        auto i = list.listIterator(0);
        for (int k = 0; k < size; k++) {
            i->next();
            i->set(elements[(k - distance + size) % size]);
        }
    }

    static void fill(AbstractList<E> &list, const E &element)
    {
        auto i = list.listIterator(0);
        while (i->hasNext()) {
            i->next();
            i->set(element);
        }
    }

    /* Copies all elements to the start of another list, which has to be long enough. */
    static void copy(AbstractList<E> &from, AbstractList<E> &to)
    {
        int size = from.size();
        if (size > to.size())
            throw IndexOutOfBoundsException(size);
        auto source = from.listIterator(0), target = to.listIterator(0);
        for (int k = 0; k < size; k++) {
            target->next();
            target->set(source->next());
        }
    }

    static E min(Collection<E> &collection, const Comparator<E> &order)
    {
        auto i = collection.iterator();
        E least = i->next();
        while (i->hasNext()) {
            E element = i->next();
            if (order.compare(element, least) < 0)
                least = element;
        }
        return least;
    }

    static E max(Collection<E> &collection, const Comparator<E> &order)
    {
        ReverseOrder<E> reversed(order);
        return min(collection, reversed);
    }

    static bool replaceAll(AbstractList<E> &list, const E &old, const E &by)
    {
        bool changed = false;
        auto i = list.listIterator(0);
        while (i->hasNext()) {
            if (Element<E>::equal(i->next(), old)) {
                i->set(by);
                changed = true;
            }
        }
        return changed;
    }

    /* Where another list begins in this one, for the first time; -1: nowhere. */
    static int indexOfSubList(AbstractList<E> &list, AbstractList<E> &part)
    {
        Array<E> elements = list.toArray(), wanted = part.toArray();
        for (int at = 0; at <= elements.length() - wanted.length(); at++)
            if (begins_at(elements, at, wanted))
                return at;
        return -1;
    }

    /* Where another list begins in this one, for the last time; -1: nowhere. */
    static int lastIndexOfSubList(AbstractList<E> &list, AbstractList<E> &part)
    {
        Array<E> elements = list.toArray(), wanted = part.toArray();
        for (int at = elements.length() - wanted.length(); at >= 0; at--)
            if (begins_at(elements, at, wanted))
                return at;
        return -1;
    }

    static int frequency(Collection<E> &collection, const E &element)
    {
        int times = 0;
        auto i = collection.iterator();
        while (i->hasNext())
            if (Element<E>::equal(i->next(), element))
                times++;
        return times;
    }

    static bool disjoint(Collection<E> &one, Collection<E> &other)
    {
        auto i = one.iterator();
        while (i->hasNext())
            if (other.contains(i->next()))
                return false;
        return true;
    }

    static std::unique_ptr<ArrayList<E>> nCopies(int n, const E &element)
    {
        if (n < 0)
            throw IllegalArgumentException("a negative number of copies");
        auto copies = std::make_unique<ArrayList<E>>(n);
        for (int i = 0; i < n; i++)
            copies->add(element);
        return copies;
    }

    /* What an enumeration still has, as a list. */
    static std::unique_ptr<ArrayList<E>> list(Enumeration<E> &enumeration)
    {
        auto all = std::make_unique<ArrayList<E>>();
        while (enumeration.hasMoreElements())
            all->add(enumeration.nextElement());
        return all;
    }

    static std::unique_ptr<Collection<E>> synchronizedCollection(Collection<E> &shown)
    {
        return std::make_unique<SynchronizedCollection<E>>(shown);
    }

    static std::unique_ptr<AbstractList<E>> synchronizedList(AbstractList<E> &shown)
    {
        return std::make_unique<SynchronizedList<E>>(shown);
    }

    static std::unique_ptr<Collection<E>> unmodifiableCollection(Collection<E> &shown)
    {
        return std::make_unique<UnmodifiableCollection<E>>(shown);
    }

    static std::unique_ptr<AbstractList<E>> unmodifiableList(AbstractList<E> &shown)
    {
        return std::make_unique<UnmodifiableList<E>>(shown);
    }

private:
    static bool begins_at(const Array<E> &elements, int at, const Array<E> &wanted)
    {
        for (int i = 0; i < wanted.length(); i++)
            if (!Element<E>::equal(elements[at + i], wanted[i]))
                return false;
        return true;
    }
};

} // namespace collections

#endif
