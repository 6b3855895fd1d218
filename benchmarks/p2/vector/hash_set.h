/* Collections that have an element only once, and the one of them that finds it by its hash code.
   */
#ifndef COLLECTIONS_HASH_SET_H
#define COLLECTIONS_HASH_SET_H

#include "abstract_collection.h"

namespace collections {

template <class E> class AbstractSet : public AbstractCollection<E> {
public:
    bool equals(Collection<E> &other) override
    {
        if (this == &other)
            return true;
        if (other.asSet() == nullptr || other.size() != this->size())
            return false;
        return this->containsAll(other);
    }

    int hashCode() override
    {
        int code = 0;
        auto i = this->iterator();
        while (i->hasNext())
            code = hash_sum(code, Element<E>::hash(i->next()));
        return code;
    }

    AbstractSet<E> *asSet() override
    {
        return this;
    }

    /* Goes through the smaller one of the two. */
    bool removeAll(Collection<E> &others) override
    {
        if (this->size() <= others.size())
            return AbstractCollection<E>::removeAll(others);
        bool changed = false;
        auto i = others.iterator();
        while (i->hasNext())
            if (this->remove(i->next()))
                changed = true;
        return changed;
    }
};

template <class E> class HashSetIterator;

/* A table of chains. It is never more than three quarters full, so that chains stay short. */
template <class E> class HashSet : public AbstractSet<E> {
public:
    explicit HashSet(int capacity) : table(power_of_two(capacity)), count(0)
    {
    }

    HashSet() : HashSet(16)
    {
    }

    explicit HashSet(Collection<E> &others) : HashSet(larger(16, others.size() * 4 / 3 + 1))
    {
        this->addAll(others);
    }

    ~HashSet() override
    {
        drop_all();
    }

    HashSet(const HashSet &) = delete;
    HashSet &operator=(const HashSet &) = delete;

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
        int hash = spread(element);
        for (Entry *entry = table[bucket_of(hash)]; entry != nullptr; entry = entry->next)
            if (entry->is(hash, element))
                return true;
        return false;
    }

    bool add(const E &element) override
    {
        if (contains(element))
            return false;
        if (count >= table.length() / 4 * 3)
            rehash(2 * table.length());
        int hash = spread(element), bucket = bucket_of(hash);
        table[bucket] = new Entry{element, hash, table[bucket]};
        count++;
        modCount++;
        return true;
    }

    bool remove(const E &element) override
    {
        int hash = spread(element);
        Entry **link = &table[bucket_of(hash)];
        while (*link != nullptr && !(*link)->is(hash, element))
            link = &(*link)->next;
        if (*link == nullptr)
            return false;
        unlink(link);
        return true;
    }

    void clear() override
    {
        drop_all();
        count = 0;
        modCount++;
    }

    /* In no particular order. */
    std::unique_ptr<Iterator<E>> iterator() override
    {
        return std::make_unique<HashSetIterator<E>>(*this);
    }

private:
    struct Entry {
        E element;
        int hash;
        Entry *next;

        bool is(int its_hash, const E &other) const
        {
            return hash == its_hash && Element<E>::equal(element, other);
        }
    };

    /* Its length is a power of two. */
    Array<Entry *> table;
    int count;
    int modCount = 0;

    static int power_of_two(int capacity)
    {
        if (capacity < 0)
            throw IllegalArgumentException("negative capacity");
        int length = 4;
        while (length < capacity)
            length *= 2;
        return length;
    }

    /* The table looks at the low bits only, so the others are mixed into them. */
    static int spread(const E &element)
    {
        unsigned code = static_cast<unsigned>(Element<E>::hash(element));
        code ^= code >> 20 ^ code >> 12;
        return static_cast<int>(code ^ code >> 7 ^ code >> 4);
    }

    int bucket_of(int hash) const
    {
        return hash & (table.length() - 1);
    }

    void rehash(int length)
    {
        Array<Entry *> old(length);
        old.swap(table);
        for (int i = 0; i < old.length(); i++) {
            Entry *entry = old[i];
            while (entry != nullptr) {
                Entry *next = entry->next;
                int bucket = bucket_of(entry->hash);
                entry->next = table[bucket];
                table[bucket] = entry;
                entry = next;
            }
        }
    }

    void unlink(Entry **link)
    {
        Entry *entry = *link;
        *link = entry->next;
        delete entry;
        count--;
        modCount++;
    }

    void drop_all()
    {
        for (int i = 0; i < table.length(); i++) {
            while (table[i] != nullptr) {
                Entry *entry = table[i];
                table[i] = entry->next;
                delete entry;
            }
        }
    }

    friend class HashSetIterator<E>;
};

template <class E> class HashSetIterator : public Iterator<E> {
    using Entry = typename HashSet<E>::Entry;

public:
    explicit HashSetIterator(HashSet<E> &set)
        : set(set), bucket(0), entry(nullptr), returned(nullptr), expected(set.modCount)
    {
        entry = set.table[0];
        go_to_entry();
    }

    bool hasNext() override
    {
        return entry != nullptr;
    }

    E next() override
    {
        check_for_comodification();
        if (entry == nullptr)
            throw NoSuchElementException();
        returned = entry;
        entry = entry->next;
        go_to_entry();
        return returned->element;
    }

    void remove() override
    {
        if (returned == nullptr)
            throw IllegalStateException("nothing to remove");
        check_for_comodification();
        Entry **link = &set.table[set.bucket_of(returned->hash)];
        while (*link != returned)
            link = &(*link)->next;
        set.unlink(link);
        returned = nullptr;
        expected = set.modCount;
    }

private:
    HashSet<E> &set;
    int bucket;
    /* The entry whose element `next` returns; none at the end. */
    Entry *entry;
    Entry *returned;
    int expected;

    /* If the chain has ended, to the first entry of the next one that has any. */
    void go_to_entry()
    {
        while (entry == nullptr && ++bucket < set.table.length())
            entry = set.table[bucket];
    }

    void check_for_comodification()
    {
        if (set.modCount != expected)
            throw ConcurrentModificationException();
    }
};

} // namespace collections

#endif
