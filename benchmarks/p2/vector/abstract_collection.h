/* A collection from two methods, `iterator` and `size`; with `add` and an iterator that removes,
   one that changes. Nothing here locks anything: a method that is given another collection calls
   that one's methods, with whatever locks its own caller holds. */
#ifndef COLLECTIONS_ABSTRACT_COLLECTION_H
#define COLLECTIONS_ABSTRACT_COLLECTION_H

#include "collection.h"

#include <cstdint>

namespace collections {

template <class E> class AbstractCollection : public Collection<E> {
public:
    bool isEmpty() override
    {
        return this->size() == 0;
    }

    bool contains(const E &element) override
    {
        auto i = this->iterator();
        while (i->hasNext())
            if (Element<E>::equal(element, i->next()))
                return true;
        return false;
    }

    Array<E> toArray() override
    {
        Array<E> result(this->size());
        auto i = this->iterator();
        for (int k = 0; i->hasNext(); k++)
            result[k] = i->next();
        return result;
    }

    bool add(const E &) override
    {
        throw UnsupportedOperationException();
    }

    bool remove(const E &element) override
    {
        auto i = this->iterator();
        while (i->hasNext()) {
            if (Element<E>::equal(element, i->next())) {
                i->remove();
                return true;
            }
        }
        return false;
    }

    bool containsAll(Collection<E> &others) override
    {
        auto i = others.iterator();
        while (i->hasNext())
            if (!this->contains(i->next()))
                return false;
        return true;
    }

    bool addAll(Collection<E> &others) override
    {
        bool changed = false;
        auto i = others.iterator();
        while (i->hasNext())
            if (this->add(i->next()))
                changed = true;
        return changed;
    }

    bool removeAll(Collection<E> &others) override
    {
        bool changed = false;
        auto i = this->iterator();
        while (i->hasNext()) {
            if (others.contains(i->next())) {
                i->remove();
                changed = true;
            }
        }
        return changed;
    }

    bool retainAll(Collection<E> &others) override
    {
        bool changed = false;
        auto i = this->iterator();
        while (i->hasNext()) {
            if (!others.contains(i->next())) {
                i->remove();
                changed = true;
            }
        }
        return changed;
    }

    void clear() override
    {
        auto i = this->iterator();
        while (i->hasNext()) {
            i->next();
            i->remove();
        }
    }

    bool equals(Collection<E> &other) override
    {
        return this == &other;
    }

    int hashCode() override
    {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(this) >> 4);
    }

    std::string toString() override
    {
        std::string text = "[";
        auto i = this->iterator();
        bool more = i->hasNext();
        while (more) {
            text += Element<E>::text(i->next());
            more = i->hasNext();
            if (more)
                text += ", ";
        }
        return text + "]";
    }
};

} // namespace collections

#endif
