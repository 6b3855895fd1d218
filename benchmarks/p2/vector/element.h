/* What collections have to know of the type of their elements. */
#ifndef COLLECTIONS_ELEMENT_H
#define COLLECTIONS_ELEMENT_H

#include <string>

namespace collections {

/* To be specialised for types of other kinds. Numbers and characters need nothing. */
template <class E> struct Element {
    static bool equal(const E &one, const E &other)
    {
        return one == other;
    }

    static int hash(const E &element)
    {
        return static_cast<int>(element);
    }

    static bool less(const E &one, const E &other)
    {
        return one < other;
    }

    static std::string text(const E &element)
    {
        return std::to_string(element);
    }
};

template <> struct Element<std::string> {
    static bool equal(const std::string &one, const std::string &other)
    {
        return one == other;
    }

    static int hash(const std::string &element)
    {
        unsigned code = 0;
        for (char c : element)
            code = 31 * code + static_cast<unsigned char>(c);
        return static_cast<int>(code);
    }

    static bool less(const std::string &one, const std::string &other)
    {
        return one < other;
    }

    static std::string text(const std::string &element)
    {
        return element;
    }
};

/* One step of the hash codes of lists, where the order counts. It wraps around. */
inline int hash_step(int code, int of_element)
{
    return static_cast<int>(31u * static_cast<unsigned>(code) + static_cast<unsigned>(of_element));
}

/* One step of the hash codes of sets, where it does not. */
inline int hash_sum(int code, int of_element)
{
    return static_cast<int>(static_cast<unsigned>(code) + static_cast<unsigned>(of_element));
}

/* The larger of two lengths. */
inline int larger(int one, int other)
{
    return one > other ? one : other;
}

/* The smaller of two lengths. */
inline int smaller(int one, int other)
{
    return one < other ? one : other;
}

} // namespace collections

#endif
