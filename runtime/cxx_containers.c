/*
 * What the containers of libstdc++ leave to its library: trees of std::map and std::set, lists, the sizes of hash tables, hashes. The
 * names are the mangled ones.
 */
#include "sleave_runtime.h"

/* std::allocator<char> and std::allocator<wchar_t>: constructors, destructors */
#define ALLOCATOR(code)                                                                                                                \
    void _ZNSaI##code##EC1Ev(void *self) { (void)self; }                                                                               \
    void _ZNSaI##code##EC2Ev(void *self) { (void)self; }                                                                               \
    void _ZNSaI##code##ED1Ev(void *self) { (void)self; }                                                                               \
    void _ZNSaI##code##ED2Ev(void *self) { (void)self; }                                                                               \
    void _ZNSaI##code##EC1ERKS_(void *self, const void *other) { (void)self, (void)other; }                                            \
    void _ZNSaI##code##EC2ERKS_(void *self, const void *other) { (void)self, (void)other; }
ALLOCATOR(c)
ALLOCATOR(w)

/*
 * Trees. The header is the parent of the root, and its children are the first and the last node. Nothing but the time it takes depends on
 * a tree being balanced, so it is not. Every node is black; the header is red, which the headers see to.
 */

struct node {
    int black;
    struct node *parent;
    struct node *left;
    struct node *right;
};

/* std::_Rb_tree_increment, std::_Rb_tree_decrement */

struct node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct node *node)
{
    if (node->right) {
        node = node->right;
        while (node->left)
            node = node->left;
        return node;
    }
    struct node *parent = node->parent;
    while (node == parent->right) {
        node = parent;
        parent = node->parent;
    }
    /* From a root without a right child to the header, of which the root is the last node. */
    return node->right != parent ? parent : node;
}

struct node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct node *node)
{
    if (!node->black && node->parent && node->parent->parent == node)
        return node->right;
    if (node->left) {
        node = node->left;
        while (node->right)
            node = node->right;
        return node;
    }
    struct node *parent = node->parent;
    while (node == parent->left) {
        node = parent;
        parent = node->parent;
    }
    return parent;
}

const struct node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const struct node *node)
{
    return _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base((struct node *)node);
}

const struct node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const struct node *node)
{
    return _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base((struct node *)node);
}

/* std::_Rb_tree_insert_and_rebalance(bool, node *, node *, node &) */
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(_Bool left, struct node *node, struct node *parent,
                                                                       struct node *header)
{
    node->black = 1;
    node->parent = parent;
    node->left = (struct node *)0;
    node->right = (struct node *)0;
    if (parent == header) {
        header->parent = node;
        header->left = node;
        header->right = node;
    } else if (left) {
        parent->left = node;
        if (parent == header->left)
            header->left = node;
    } else {
        parent->right = node;
        if (parent == header->right)
            header->right = node;
    }
}

static void replace(struct node *node, struct node *by, struct node *header)
{
    struct node *parent = node->parent;
    if (parent == header)
        header->parent = by;
    else if (parent->left == node)
        parent->left = by;
    else
        parent->right = by;
    if (by)
        by->parent = parent;
}

/* std::_Rb_tree_rebalance_for_erase(node *, node &): the node that is to be deleted */
struct node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct node *node, struct node *header)
{
    struct node *first = header->left, *last = header->right;
    if (node == first)
        first = _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(node);
    if (node == last)
        last = _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(node);
    if (!node->left) {
        replace(node, node->right, header);
    } else if (!node->right) {
        replace(node, node->left, header);
    } else {
        struct node *next = node->right;
        while (next->left)
            next = next->left;
        if (next->parent != node) {
            replace(next, next->right, header);
            next->right = node->right;
            next->right->parent = next;
        }
        replace(node, next, header);
        next->left = node->left;
        next->left->parent = next;
    }
    if (!header->parent) {
        first = header;
        last = header;
    }
    header->left = first;
    header->right = last;
    return node;
}

/* Lists: std::__detail::_List_node_base */

struct link {
    struct link *next;
    struct link *previous;
};

void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct link *self, struct link *position)
{
    self->next = position;
    self->previous = position->previous;
    position->previous->next = self;
    position->previous = self;
}

void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct link *self)
{
    self->previous->next = self->next;
    self->next->previous = self->previous;
}

/* Moves the links from `first` up to `last` before `self`. */
void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct link *self, struct link *first, struct link *last)
{
    if (self == last)
        return;
    struct link *end = last->previous;
    first->previous->next = last;
    last->previous = first->previous;
    self->previous->next = first;
    first->previous = self->previous;
    end->next = self;
    self->previous = end;
}

void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct link *self)
{
    struct link *link = self;
    do {
        struct link *next = link->next;
        link->next = link->previous;
        link->previous = next;
        link = next;
    } while (link != self);
}

static void take_over(struct link *self, struct link next)
{
    *self = next;
    self->next->previous = self;
    self->previous->next = self;
}

void _ZNSt8__detail15_List_node_base4swapERS0_S1_(struct link *one, struct link *other)
{
    struct link a = *one, b = *other;
    _Bool a_empty = a.next == one, b_empty = b.next == other;
    one->next = one->previous = one;
    other->next = other->previous = other;
    if (!b_empty)
        take_over(one, b);
    if (!a_empty)
        take_over(other, a);
}

/* Hash tables: std::__detail::_Prime_rehash_policy. No program may rely on the sizes. */

struct policy {
    float max_load;
    size_t next_resize;
};

static const unsigned sizes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 103,
                                 109, 113, 127, 137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257};
static const unsigned char small_sizes[] = {2, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13};

static size_t next_size(struct policy *policy, size_t count)
{
    size_t size = 0;
    if (count < sizeof small_sizes) {
        if (count == 0)
            return 1;
        size = small_sizes[count];
    } else {
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes && size == 0; i++)
            if (sizes[i] >= count)
                size = sizes[i];
        if (size == 0)
            __sleave_unsupported("hash tables with more than 257 buckets");
    }
    policy->next_resize = (size_t)((double)policy->max_load * (double)size);
    return size;
}

struct decision {
    _Bool rehash;
    size_t size;
};

static struct decision need_rehash(struct policy *policy, size_t buckets, size_t elements, size_t more)
{
    if (elements + more <= policy->next_resize)
        return (struct decision){0, 0};
    /* The first insertion asks for a few buckets at once. */
    size_t wanted = elements + more;
    if (policy->next_resize == 0 && wanted < 11)
        wanted = 11;
    double least = (double)wanted / (double)policy->max_load;
    if (least >= (double)buckets) {
        size_t count = (size_t)least + 1;
        if (count < buckets * 2)
            count = buckets * 2;
        return (struct decision){1, next_size(policy, count)};
    }
    policy->next_resize = (size_t)((double)policy->max_load * (double)buckets);
    return (struct decision){0, 0};
}

/* With size_t as unsigned long, and as unsigned int. */
size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(struct policy *policy, size_t count) { return next_size(policy, count); }
size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEj(struct policy *policy, size_t count) { return next_size(policy, count); }
struct decision _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(struct policy *policy, size_t buckets, size_t elements,
                                                                         size_t more)
{
    return need_rehash(policy, buckets, elements, more);
}
struct decision _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEjjj(struct policy *policy, size_t buckets, size_t elements,
                                                                         size_t more)
{
    return need_rehash(policy, buckets, elements, more);
}

/*
 * std::_Hash_bytes(const void *, size_t, size_t): MurmurHash2 in the form for the width of size_t, as libstdc++ has it. Programs see it:
 * it decides the order of what is in an unordered container.
 */
#define MIX(value) ((value) ^ (value) >> (sizeof(size_t) == 8 ? 47 : 24))

static size_t hash(const unsigned char *bytes, size_t count, size_t seed)
{
    const size_t multiplier = sizeof(size_t) == 8 ? (size_t)0xc6a4a7935bd1e995ull : 0x5bd1e995u;
    size_t value = seed ^ (sizeof(size_t) == 8 ? count * multiplier : count);
    size_t whole = count / sizeof(size_t) * sizeof(size_t);
    for (size_t i = 0; i < whole; i += sizeof(size_t)) {
        size_t word;
        memcpy(&word, bytes + i, sizeof word);
        word *= multiplier;
        word = MIX(word) * multiplier;
        value = sizeof(size_t) == 8 ? (value ^ word) * multiplier : (value * multiplier) ^ word;
    }
    if (whole < count) {
        size_t word = 0;
        for (size_t i = count; i > whole; i--)
            word = word << 8 | bytes[i - 1];
        value = (value ^ word) * multiplier;
    }
    if (sizeof(size_t) == 8) {
        value = MIX(value) * multiplier;
        return MIX(value);
    }
    value = (value ^ value >> 13) * multiplier;
    return value ^ value >> 15;
}
size_t _ZSt11_Hash_bytesPKvmm(const void *bytes, size_t count, size_t seed) { return hash(bytes, count, seed); }
size_t _ZSt11_Hash_bytesPKvjj(const void *bytes, size_t count, size_t seed) { return hash(bytes, count, seed); }
