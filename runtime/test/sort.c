/* qsort and its relatives: order, stability, number of comparisons, bounds. */
#define _GNU_SOURCE
#include "check.h"
#include <search.h>

OURS(qsort); OURS(qsort_r); OURS(bsearch); OURS(lfind); OURS(lsearch);

struct item {
    int key;
    int place;
};

static int comparisons;

static int by_key(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    comparisons++;
    return (a->key > b->key) - (a->key < b->key);
}

static int by_key_and_place(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = by_key(left, right);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static int by_bytes(const void *left, const void *right, void *size)
{
    return memcmp(left, right, *(size_t *)size);
}

static int by_chance(const void *left, const void *right)
{
    (void)left;
    (void)right;
    return (int)below(3) - 1;
}

/* glibc's order with ties broken by the original place is the stable one. */
static void test_stable_order(size_t count)
{
    struct item ours[600], theirs[600];
    unsigned keys = 1 + below(2 * (unsigned)count + 1);
    for (size_t i = 0; i < count; i++)
        ours[i] = theirs[i] = (struct item){(int)below(keys), (int)i};
    sl_qsort(ours, count, sizeof *ours, by_key);
    qsort(theirs, count, sizeof *theirs, by_key_and_place);
    CHECK(memcmp(ours, theirs, count * sizeof *ours) == 0, "%zu elements", count);
    comparisons = 0;
    sl_qsort(ours, count, sizeof *ours, by_key);
    CHECK(comparisons <= (int)(count + count / 16 * 2), "%d comparisons for %zu sorted elements", comparisons, count);
}

/* Elements of every size; nothing outside of the array changes. */
static void test_sizes(size_t count, size_t size)
{
    static unsigned char ours[4096], theirs[4096];
    for (size_t i = 0; i < sizeof ours; i++)
        ours[i] = theirs[i] = (unsigned char)below(4);
    sl_qsort_r(ours + size, count, size, by_bytes, &size);
    qsort_r(theirs + size, count, size, by_bytes, &size);
    CHECK(memcmp(ours, theirs, sizeof ours) == 0, "%zu elements of %zu bytes", count, size);
}

/* A comparator that contradicts itself spoils the order, no more: the elements stay the same. */
static void test_inconsistent_comparator(size_t count)
{
    int array[202] = {0}, seen[200] = {0}, complete = 1;
    for (size_t i = 0; i < count; i++)
        array[i + 1] = (int)i;
    array[0] = array[count + 1] = -7;
    sl_qsort(array + 1, count, sizeof *array, by_chance);
    for (size_t i = 1; i <= count; i++)
        if (array[i] >= 0 && array[i] < (int)count)
            seen[array[i]]++;
    for (size_t i = 0; i < count; i++)
        complete &= seen[i] == 1;
    CHECK(complete && array[0] == -7 && array[count + 1] == -7, "%zu elements", count);
}

static void test_search(void)
{
    struct item array[42];
    size_t count = below(40);
    for (size_t i = 0; i < count; i++)
        array[i] = (struct item){2 * (int)i, (int)i};
    for (int key = -1; key <= 2 * (int)count; key++) {
        struct item wanted = {key, 0};
        CHECK(sl_bsearch(&wanted, array, count, sizeof *array, by_key) == bsearch(&wanted, array, count, sizeof *array, by_key),
              "%d of %zu", key, count);
        CHECK(sl_lfind(&wanted, array, &count, sizeof *array, by_key) == lfind(&wanted, array, &count, sizeof *array, by_key),
              "%d of %zu", key, count);
    }
    struct item added = {1, 7}, *place = sl_lsearch(&added, array, &count, sizeof *array, by_key);
    CHECK(place == array + count - 1 && place->place == 7, "lsearch adds");
    CHECK(sl_lsearch(&added, array, &count, sizeof *array, by_key) == place, "lsearch finds");
}

int main(void)
{
    for (int i = 0; i < 3000; i++) {
        test_stable_order(below(40));
        test_sizes(below(100), 1 + below(40));
        test_inconsistent_comparator(below(200));
        test_search();
    }
    for (size_t count = 0; count < 600; count++)
        test_stable_order(count);
    sl_qsort(NULL, 0, 4, by_key);
    /* As few as possible: 3 elements need 3 comparisons in the worst case, 2 if sorted. */
    for (int order = 0; order < 27; order++) {
        struct item three[] = {{order / 9, 0}, {order / 3 % 3, 0}, {order % 3, 0}};
        comparisons = 0;
        sl_qsort(three, 3, sizeof *three, by_key);
        CHECK(comparisons <= 3, "%d comparisons", comparisons);
    }
    return finish();
}
