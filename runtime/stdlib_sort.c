/*
 * Sorting and searching with a comparator: qsort, qsort_r, bsearch, lfind, lsearch.
 *
 * A comparison costs a call into the program and, on symbolic elements, a fork; a move costs one primitive. So: binary insertion,
 * whose comparisons are few and whose moves are single memmoves, in runs of at most RUN elements; then merging, for arrays so long
 * that quadratic moves would show. The order is stable. No comparator, however inconsistent, leads outside of the array.
 * The scratch memory is on the stack: malloc may fail, and a comparator that exits the program must not leave a leak behind.
 */
#include "sleave_runtime.h"

typedef int comparator(const void *left, const void *right);
typedef int comparator_with_context(const void *left, const void *right, void *context);

struct array {
    char *base;
    size_t size; /* of one element */
    comparator_with_context *compare;
    void *context;
};

/* Up to here moving is cheaper than the bookkeeping of a merge. */
#define RUN ((size_t)16)

static char *element(const struct array *array, size_t index)
{
    return array->base + index * array->size;
}

static int is_less(const struct array *array, const char *left, const char *right)
{
    return array->compare(left, right, array->context) < 0;
}

/* Sorts the elements from `first` up to, not including, `end`. */
static void insertion_sort(const struct array *array, size_t first, size_t end)
{
    char inserted[array->size];
    for (size_t next = first + 1; next < end; next++) {
        /* A sorted array costs one comparison per element. */
        if (!is_less(array, element(array, next), element(array, next - 1)))
            continue;
        size_t low = first, high = next - 1;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (is_less(array, element(array, next), element(array, middle)))
                high = middle;
            else
                low = middle + 1;
        }
        memcpy(inserted, element(array, next), array->size);
        memmove(element(array, low + 1), element(array, low), (next - low) * array->size);
        memcpy(element(array, low), inserted, array->size);
    }
}

/* Merges the sorted runs [first, middle) and [middle, end); `left` has room for the first of them. */
static void merge(const struct array *array, size_t first, size_t middle, size_t end, char *left)
{
    if (!is_less(array, element(array, middle), element(array, middle - 1)))
        return;
    size_t size = array->size;
    char *left_end = left + (middle - first) * size;
    memcpy(left, element(array, first), (middle - first) * size);
    char *to = element(array, first);
    char *right = element(array, middle), *right_end = element(array, end);
    while (left != left_end && right != right_end) {
        if (is_less(array, right, left)) {
            memcpy(to, right, size);
            right += size;
        } else {
            memcpy(to, left, size);
            left += size;
        }
        to += size;
    }
    memcpy(to, left, (size_t)(left_end - left));
}

static void merge_runs(const struct array *array, size_t count)
{
    /* The longest left run is the largest run length below `count`; the comparator may rely on the alignment of the elements. */
    size_t longest = RUN;
    while (longest < count - longest)
        longest *= 2;
    _Alignas(16) char scratch[longest * array->size];
    for (size_t run = RUN; run < count; run *= 2)
        for (size_t first = 0; count - first > run; first += 2 * run) {
            size_t middle = first + run;
            size_t end = count - middle > run ? middle + run : count;
            merge(array, first, middle, end, scratch);
            if (end == count)
                break;
        }
}

void qsort_r(void *base, size_t count, size_t size, comparator_with_context *compare, void *context)
{
    struct array array = {base, size, compare, context};
    if (count < 2 || size == 0)
        return;
    for (size_t first = 0; first < count; first += RUN)
        insertion_sort(&array, first, count - first > RUN ? first + RUN : count);
    if (count > RUN)
        merge_runs(&array, count);
}

static int compare_without_context(const void *left, const void *right, void *context)
{
    comparator **compare = context;
    return (*compare)(left, right);
}

void qsort(void *base, size_t count, size_t size, comparator *compare)
{
    qsort_r(base, count, size, compare_without_context, &compare);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, comparator *compare)
{
    const char *low = base;
    while (count > 0) {
        const char *middle = low + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            low = middle + size;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return NULL;
}

void *lfind(const void *key, const void *base, size_t *count, size_t size, comparator *compare)
{
    for (size_t i = 0; i < *count; i++) {
        const char *candidate = (const char *)base + i * size;
        if (compare(key, candidate) == 0)
            return (void *)candidate;
    }
    return NULL;
}

void *lsearch(const void *key, void *base, size_t *count, size_t size, comparator *compare)
{
    void *found = lfind(key, base, count, size, compare);
    if (found != NULL)
        return found;
    return memcpy((char *)base + (*count)++ * size, key, size);
}
