/* Arrays that know their length and check their indices, and what can be done with whole arrays. */
#ifndef COLLECTIONS_ARRAY_H
#define COLLECTIONS_ARRAY_H

#include "comparator.h"
#include "exceptions.h"

namespace collections {

template <class E> class Array {
public:
    /* All elements have the value that E{} has. */
    explicit Array(int length) : elements(nullptr), count(length)
    {
        if (length < 0)
            throw IllegalArgumentException("negative length");
        elements = new E[length]();
    }

    Array(const Array &other) : elements(new E[other.count]()), count(other.count)
    {
        for (int i = 0; i < count; i++)
            elements[i] = other.elements[i];
    }

    Array(Array &&other) noexcept : elements(other.elements), count(other.count)
    {
        other.elements = nullptr;
        other.count = 0;
    }

    Array &operator=(Array other)
    {
        swap(other);
        return *this;
    }

    ~Array()
    {
        delete[] elements;
    }

    void swap(Array &other)
    {
        E *was = elements;
        elements = other.elements;
        other.elements = was;
        int length = count;
        count = other.count;
        other.count = length;
    }

    int length() const
    {
        return count;
    }

    E &operator[](int index)
    {
        check(index);
        return elements[index];
    }

    const E &operator[](int index) const
    {
        check(index);
        return elements[index];
    }

private:
    E *elements;
    int count;

    void check(int index) const
    {
        if (index < 0 || index >= count)
            throw IndexOutOfBoundsException(index);
    }
};

/* Whether there is a range of `length` elements at `start`. */
template <class E> void check_range(const Array<E> &array, int start, int length)
{
    if (start < 0)
        throw IndexOutOfBoundsException(start);
    if (length < 0)
        throw IllegalArgumentException("negative length");
    if (start > array.length() - length)
        throw IndexOutOfBoundsException(start + length);
}

/* Copies a range of one array to another, which may be the same: then the range arrives as it was.
   */
template <class E>
void copy_range(const Array<E> &from, int start, Array<E> &to, int target, int length)
{
    check_range(from, start, length);
    check_range(to, target, length);
    if (&from == &to && start < target) {
        for (int i = length - 1; i >= 0; i--)
            to[target + i] = from[start + i];
    } else {
        for (int i = 0; i < length; i++)
            to[target + i] = from[start + i];
    }
}

/* The same elements in an array of another length; new ones have the value of E{}. */
template <class E> Array<E> resized(const Array<E> &array, int length)
{
    Array<E> result(length);
    copy_range(array, 0, result, 0, smaller(length, array.length()));
    return result;
}

template <class E> void fill(Array<E> &array, int from, int to, const E &value)
{
    if (from > to)
        throw IllegalArgumentException("a range that ends before it starts");
    check_range(array, from, to - from);
    for (int i = from; i < to; i++)
        array[i] = value;
}

template <class E> void reverse(Array<E> &array)
{
    for (int i = 0, j = array.length() - 1; i < j; i++, j--) {
        E was = array[i];
        array[i] = array[j];
        array[j] = was;
    }
}

template <class E> bool equals(const Array<E> &one, const Array<E> &other)
{
    if (&one == &other)
        return true;
    if (one.length() != other.length())
        return false;
    for (int i = 0; i < one.length(); i++)
        if (!Element<E>::equal(one[i], other[i]))
            return false;
    return true;
}

template <class E> int hash_code(const Array<E> &array)
{
    int code = 1;
    for (int i = 0; i < array.length(); i++)
        code = hash_step(code, Element<E>::hash(array[i]));
    return code;
}

template <class E> std::string to_string(const Array<E> &array)
{
    std::string text = "[";
    for (int i = 0; i < array.length(); i++) {
        if (i > 0)
            text += ", ";
        text += Element<E>::text(array[i]);
    }
    return text + "]";
}

/* Sorting: it is stable, and takes n log n comparisons and a second array. */
template <class E> class MergeSort {
public:
    MergeSort(Array<E> &array, const Comparator<E> &order)
        : array(array), spare(array.length()), order(order)
    {
    }

    void run()
    {
        sort(0, array.length());
    }

    void run(int from, int to)
    {
        if (from > to)
            throw IllegalArgumentException("a range that ends before it starts");
        check_range(array, from, to - from);
        sort(from, to);
    }

private:
    /* Below this length insertion is faster than merging. */
    static const int SHORT = 7;

    Array<E> &array;
    Array<E> spare;
    const Comparator<E> &order;

    void sort(int from, int to)
    {
        if (to - from < SHORT) {
            insertion_sort(from, to);
            return;
        }
        int middle = from + (to - from) / 2;
        sort(from, middle);
        sort(middle, to);
        /* The halves may be in order already. */
        if (order.compare(array[middle - 1], array[middle]) > 0)
            merge(from, middle, to);
    }

    void insertion_sort(int from, int to)
    {
        for (int i = from + 1; i < to; i++) {
            E moving = array[i];
            int hole = i;
            while (hole > from && order.compare(array[hole - 1], moving) > 0) {
                array[hole] = array[hole - 1];
                hole--;
            }
            array[hole] = moving;
        }
    }

    void merge(int from, int middle, int to)
    {
        copy_range(array, from, spare, from, to - from);
        int left = from, right = middle;
        for (int i = from; i < to; i++) {
            bool take_left = right >= to ||
                             (left < middle && order.compare(spare[left], spare[right]) <= 0);
            array[i] = take_left ? spare[left++] : spare[right++];
        }
    }
};

template <class E> void sort(Array<E> &array, const Comparator<E> &order)
{
    MergeSort<E>(array, order).run();
}

template <class E> void sort(Array<E> &array)
{
    NaturalOrder<E> order;
    MergeSort<E>(array, order).run();
}

/* Where a key is in a sorted array; or -(insertion point) - 1, if it is nowhere. */
template <class E>
int binary_search(const Array<E> &array, const E &key, const Comparator<E> &order)
{
    int low = 0, high = array.length() - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        int compared = order.compare(array[middle], key);
        if (compared < 0)
            low = middle + 1;
        else if (compared > 0)
            high = middle - 1;
        else
            return middle;
    }
    return -(low + 1);
}

} // namespace collections

#endif
