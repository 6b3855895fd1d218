/* Lists that are gone through rather than looked up, and the one of them that is linked both ways.
   */
#ifndef COLLECTIONS_LINKED_LIST_H
#define COLLECTIONS_LINKED_LIST_H

#include "abstract_list.h"

namespace collections {

/* A list from two methods, `listIterator` and `size`. Elements are found by iterating. */
template <class E> class AbstractSequentialList : public AbstractList<E> {
public:
    using AbstractList<E>::add;
    using AbstractList<E>::addAll;

    E get(int index) override
    {
        check(index);
        return this->listIterator(index)->next();
    }

    E set(int index, const E &element) override
    {
        check(index);
        auto i = this->listIterator(index);
        E was = i->next();
        i->set(element);
        return was;
    }

    void add(int index, const E &element) override
    {
        this->listIterator(index)->add(element);
    }

    E removeAt(int index) override
    {
        check(index);
        auto i = this->listIterator(index);
        E was = i->next();
        i->remove();
        return was;
    }

    bool addAll(int index, Collection<E> &others) override
    {
        bool changed = false;
        auto here = this->listIterator(index);
        auto i = others.iterator();
        while (i->hasNext()) {
            here->add(i->next());
            changed = true;
        }
        return changed;
    }

    std::unique_ptr<Iterator<E>> iterator() override
    {
        return this->listIterator(0);
    }

    std::unique_ptr<ListIterator<E>> listIterator(int index) override = 0;

private:
    void check(int index)
    {
        if (index < 0 || index >= this->size())
            throw IndexOutOfBoundsException(index);
    }
};

template <class E> class LinkedListIterator;

/* A ring of nodes with a head that holds no element: its `next` is the first node, its `previous`
   the last, and both are the head itself when the list is empty. */
template <class E> class LinkedList : public AbstractSequentialList<E> {
public:
    using AbstractSequentialList<E>::add;
    using AbstractSequentialList<E>::addAll;

    LinkedList() : count(0)
    {
        head.next = head.previous = &head;
    }

    explicit LinkedList(Collection<E> &others) : LinkedList()
    {
        addAll(others);
    }

    ~LinkedList() override
    {
        while (head.next != &head)
            unlink(head.next);
    }

    LinkedList(const LinkedList &) = delete;
    LinkedList &operator=(const LinkedList &) = delete;

    int size() override
    {
        return count;
    }

    E getFirst()
    {
        if (count == 0)
            throw NoSuchElementException();
        return head.next->element;
    }

    E getLast()
    {
        if (count == 0)
            throw NoSuchElementException();
        return head.previous->element;
    }

    E removeFirst()
    {
        E first = getFirst();
        unlink(head.next);
        return first;
    }

    E removeLast()
    {
        E last = getLast();
        unlink(head.previous);
        return last;
    }

    void addFirst(const E &element)
    {
        link_before(head.next, element);
    }

    void addLast(const E &element)
    {
        link_before(&head, element);
    }

    bool add(const E &element) override
    {
        addLast(element);
        return true;
    }

    bool contains(const E &element) override
    {
        return indexOf(element) >= 0;
    }

    int indexOf(const E &element) override
    {
        int index = 0;
        for (Node *node = head.next; node != &head; node = node->next, index++)
            if (Element<E>::equal(element, node->element))
                return index;
        return -1;
    }

    int lastIndexOf(const E &element) override
    {
        int index = count;
        for (Node *node = head.previous; node != &head; node = node->previous) {
            index--;
            if (Element<E>::equal(element, node->element))
                return index;
        }
        return -1;
    }

    bool remove(const E &element) override
    {
        for (Node *node = head.next; node != &head; node = node->next) {
            if (Element<E>::equal(element, node->element)) {
                unlink(node);
                return true;
            }
        }
        return false;
    }

    bool addAll(Collection<E> &others) override
    {
        return this->addAll(count, others);
    }

    /* The elements are fetched first: then the collection may be this list itself. */
    bool addAll(int index, Collection<E> &others) override
    {
        Node *successor = index == count ? &head : node_at(index);
        Array<E> added = others.toArray();
        for (int i = 0; i < added.length(); i++)
            link_before(successor, added[i]);
        return added.length() > 0;
    }

    void clear() override
    {
        while (head.next != &head)
            unlink(head.next);
        this->modCount++;
    }

    Array<E> toArray() override
    {
        Array<E> result(count);
        int i = 0;
        for (Node *node = head.next; node != &head; node = node->next)
            result[i++] = node->element;
        return result;
    }

    std::unique_ptr<ListIterator<E>> listIterator(int index) override
    {
        Node *next = index == count ? &head : node_at(index);
        return std::make_unique<LinkedListIterator<E>>(*this, next, index);
    }

private:
    struct Node {
        E element = E();
        Node *next = nullptr;
        Node *previous = nullptr;
    };

    Node head;
    int count;

    /* From the end that is nearer. */
    Node *node_at(int index)
    {
        if (index < 0 || index >= count)
            throw IndexOutOfBoundsException(index);
        Node *node = &head;
        if (index < count / 2) {
            for (int i = 0; i <= index; i++)
                node = node->next;
        } else {
            for (int i = count; i > index; i--)
                node = node->previous;
        }
        return node;
    }

    Node *link_before(Node *successor, const E &element)
    {
        Node *node = new Node;
        node->element = element;
        node->next = successor;
        node->previous = successor->previous;
        node->previous->next = node;
        successor->previous = node;
        count++;
        this->modCount++;
        return node;
    }

    void unlink(Node *node)
    {
        if (node == &head)
            throw NoSuchElementException();
        node->previous->next = node->next;
        node->next->previous = node->previous;
        count--;
        this->modCount++;
        delete node;
    }

    friend class LinkedListIterator<E>;
};

template <class E> class LinkedListIterator : public ListIterator<E> {
    using Node = typename LinkedList<E>::Node;

public:
    LinkedListIterator(LinkedList<E> &list, Node *next, int index)
        : list(list), next_node(next), returned(nullptr), index(index), expected(list.modCount)
    {
    }

    bool hasNext() override
    {
        return index != list.count;
    }

    E next() override
    {
        check_for_comodification();
        if (index == list.count)
            throw NoSuchElementException();
        returned = next_node;
        next_node = next_node->next;
        index++;
        return returned->element;
    }

    bool hasPrevious() override
    {
        return index != 0;
    }

    E previous() override
    {
        check_for_comodification();
        if (index == 0)
            throw NoSuchElementException();
        returned = next_node = next_node->previous;
        index--;
        return returned->element;
    }

    int nextIndex() override
    {
        return index;
    }

    int previousIndex() override
    {
        return index - 1;
    }

    void remove() override
    {
        check_for_comodification();
        if (returned == nullptr)
            throw IllegalStateException("nothing to remove");
        /* After `previous`, the node that is removed is the one that `next` would return. */
        if (next_node == returned)
            next_node = returned->next;
        else
            index--;
        list.unlink(returned);
        returned = nullptr;
        expected = list.modCount;
    }

    void set(const E &element) override
    {
        check_for_comodification();
        if (returned == nullptr)
            throw IllegalStateException("nothing to replace");
        returned->element = element;
    }

    void add(const E &element) override
    {
        check_for_comodification();
        list.link_before(next_node, element);
        returned = nullptr;
        index++;
        expected = list.modCount;
    }

private:
    LinkedList<E> &list;
    /* The node whose element `next` returns; the head at the end. */
    Node *next_node;
    /* The node whose element was returned last, unless it was removed or another added since. */
    Node *returned;
    int index;
    int expected;

    void check_for_comodification()
    {
        if (list.modCount != expected)
            throw ConcurrentModificationException();
    }
};

} // namespace collections

#endif
