/* Orders of elements. */
#ifndef COLLECTIONS_COMPARATOR_H
#define COLLECTIONS_COMPARATOR_H

#include "element.h"

namespace collections {

template <class E> class Comparator {
public:
    virtual ~Comparator()
    {
    }

    /* Negative, zero or positive: `one` comes before, with, or after `other`. */
    virtual int compare(const E &one, const E &other) const = 0;
};

/* Smaller elements first. */
template <class E> class NaturalOrder : public Comparator<E> {
public:
    int compare(const E &one, const E &other) const override
    {
        if (Element<E>::less(one, other))
            return -1;
        if (Element<E>::less(other, one))
            return 1;
        return 0;
    }
};

/* Another order, from its end. */
template <class E> class ReverseOrder : public Comparator<E> {
public:
    explicit ReverseOrder(const Comparator<E> &order) : order(order)
    {
    }

    int compare(const E &one, const E &other) const override
    {
        return order.compare(other, one);
    }

private:
    const Comparator<E> &order;
};

} // namespace collections

#endif
